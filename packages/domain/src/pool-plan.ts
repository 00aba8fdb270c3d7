import { type DatedChange, forecastPool, type PoolForecast, type PoolState } from "./pool-forecast.js";

/** An update of a pool to plan. Undefined fields keep their values. */
export interface PlannedPoolChange {
  readonly size?: number | undefined;
  readonly utilization?: number | undefined;
  /** The new area code and its free and resting numbers. */
  readonly area?: Pick<PoolState, "areaCode" | "supply"> | undefined;
}

export interface PlannedChange extends DatedChange {
  /** Whether the same change would happen at the same time without the update. */
  readonly happensAnyway: boolean;
}

/** The effects of an update on a pool. */
export interface PoolPlan extends PoolForecast {
  readonly changes: readonly PlannedChange[];
}

/** Forecasts the effects of an update on a pool until the given time, inclusive. A frozen pool does not change. Yields like `runPass`. */
export function* planPool(before: PoolState, change: PlannedPoolChange, until: Date): Generator<void, PoolPlan> {
  const { size = before.pool.size, utilization = before.pool.utilization, area } = change;
  const after: PoolState = { ...before, ...area, pool: { ...before.pool, size, utilization } };
  const unplanned = Map.groupBy((yield* forecastPool(before, until)).changes, ({ trackingNumber }) => trackingNumber);
  yield;
  const { changes, unserved, missing } = yield* forecastPool(after, until);
  yield;
  return {
    changes: changes.map(({ kind, trackingNumber, source, reason, at }) => {
      const isSame = (other: DatedChange) =>
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
