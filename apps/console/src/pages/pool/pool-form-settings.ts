import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { parseIntegerOrZero } from "../../format/number-text";

/** The settings of a pool that a user can change, as the texts in the form's inputs. */
export interface PoolFormSettings {
  readonly size: string;
  readonly utilization: string;
  readonly areaCode: string;
}

export function toPoolFormSettings(pool: Pool): PoolFormSettings {
  return {
    size: String(pool.size),
    utilization: pool.utilization === undefined ? "" : String(pool.utilization),
    areaCode: pool.areaCode,
  };
}

/** Converts changed form values to request fields. Does not validate them, because the server does. */
export function toPoolUpdateFields({ size, utilization, areaCode }: Partial<PoolFormSettings>) {
  return {
    ...(size !== undefined && { size: parseIntegerOrZero(size) }),
    ...(utilization !== undefined && { utilization: Number(utilization || Number.NaN) }),
    ...(areaCode !== undefined && { areaCode }),
  };
}
