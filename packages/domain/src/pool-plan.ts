import { type DatedTrackerChange, forecastPool, type PoolForecast, type PoolState } from "./pool-forecast.js";

/** An update of a pool whose effects are to be planned. A field that is undefined keeps its value. */
export interface PlannedPoolUpdate {
  readonly size?: number | undefined;
  readonly utilization?: number | undefined;
  /** The new area code, and the free and resting numbers with that area code. */
  readonly area?: Pick<PoolState, "areaCode" | "supply"> | undefined;
}

export interface PlannedTrackerChange extends DatedTrackerChange {
  /** Whether the tracker would change in the same way, at the same time, without the update. */
  readonly happensAnyway: boolean;
}

/** The forecast for a pool after an update. Each change says whether it also happens without the update. */
export interface PoolPlan extends PoolForecast {
  readonly changes: readonly PlannedTrackerChange[];
}

/**
 * Forecasts the effects of a pool's update until the given time, inclusive. Plans no changes for a frozen pool. Yields between short parts, as
 * `runPass` does.
 */
export function* forecastPoolUpdate(
  before: PoolState,
  change: PlannedPoolUpdate,
  until: Date,
): Generator<void, PoolPlan> {
  const { size = before.pool.size, utilization = before.pool.utilization, area } = change;
  const after: PoolState = { ...before, ...area, pool: { ...before.pool, size, utilization } };
  const unplanned = Map.groupBy((yield* forecastPool(before, until)).changes, ({ trackingNumber }) => trackingNumber);
  yield;
  const { changes, unserved, missing } = yield* forecastPool(after, until);
  yield;
  return {
    changes: changes.map(({ kind, trackingNumber, source, reason, at }) => {
      const isSame = (other: DatedTrackerChange) =>
        other.kind === kind &&
        other.at.getTime() === at.getTime() &&
        other.source?.source === source?.source &&
        other.source?.medium === source?.medium;
      const happensAnyway = unplanned.get(trackingNumber)?.some(isSame) ?? false;
      return { kind, trackingNumber, source, reason, at, happensAnyway };
    }),
    unserved,
    missing,
  };
}
