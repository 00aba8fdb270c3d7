import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { typedInteger } from "../../format/number-text";

/** The settings of a pool that can be changed, as the form has them. */
export interface PoolSettings {
  readonly size: string;
  readonly utilization: string;
  readonly areaCode: string;
}

/** Returns the settings of a pool as form values. */
export function settingsOf(pool: Pool): PoolSettings {
  return {
    size: String(pool.size),
    utilization: pool.utilization === undefined ? "" : String(pool.utilization),
    areaCode: pool.areaCode,
  };
}

/** Returns changed settings as fields of a request. The server checks the values. */
export function changedFields({ size, utilization, areaCode }: Partial<PoolSettings>) {
  return {
    ...(size !== undefined && { size: typedInteger(size) }),
    ...(utilization !== undefined && { utilization: Number(utilization || Number.NaN) }),
    ...(areaCode !== undefined && { areaCode }),
  };
}
