import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { parseInteger } from "../../format/number-text";

/** The settings of a pool that can be changed, as form values. */
export interface PoolSettings {
  readonly size: string;
  readonly utilization: string;
  readonly areaCode: string;
}

export function settingsOf(pool: Pool): PoolSettings {
  return {
    size: String(pool.size),
    utilization: pool.utilization === undefined ? "" : String(pool.utilization),
    areaCode: pool.areaCode,
  };
}

/** Converts changed settings to request fields, without checking them: the server does. */
export function changedFields({ size, utilization, areaCode }: Partial<PoolSettings>) {
  return {
    ...(size !== undefined && { size: parseInteger(size) }),
    ...(utilization !== undefined && { utilization: Number(utilization || Number.NaN) }),
    ...(areaCode !== undefined && { areaCode }),
  };
}
