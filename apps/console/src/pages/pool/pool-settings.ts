import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";

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
    ...(wanted.size !== current.size && { size: integer(wanted.size) }),
    ...(wanted.utilization !== current.utilization &&
      pool.poolType !== PoolType.MANUAL && { utilization: Number(wanted.utilization || Number.NaN) }),
    ...(wanted.areaCode !== current.areaCode && { areaCode: wanted.areaCode }),
  };
}

/** Parses a whole number. The server rejects 0 with its own words, and so it stands for anything else too. */
function integer(text: string): number {
  const value = Number(text);
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : 0;
}
