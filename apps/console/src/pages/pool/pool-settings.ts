import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
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

/** Returns the settings that differ from the pool's, as fields of a request. The server checks the values. */
export function changedSettings(pool: Pool, wanted: PoolSettings) {
  const current = settingsOf(pool);
  return {
    ...(wanted.size !== current.size && { size: typedInteger(wanted.size) }),
    ...(wanted.utilization !== current.utilization &&
      pool.poolType !== PoolType.MANUAL && { utilization: Number(wanted.utilization || Number.NaN) }),
    ...(wanted.areaCode !== current.areaCode && { areaCode: wanted.areaCode }),
  };
}
