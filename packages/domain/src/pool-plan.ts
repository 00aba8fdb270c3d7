import { type DatedChange, forecastPool, type PoolForecast, type PoolState } from "./pool-forecast.js";

/** A change to plan. Undefined fields keep their values. */
export interface PlannedPoolChange {
  readonly size?: number | undefined;
  readonly utilization?: number | undefined;
  /** The new area code and its numbers; see `PoolState`. */
  readonly area?: Pick<PoolState, "areaCode" | "supply"> | undefined;
}

/** A future change of a call tracker in a plan. */
export interface PlannedChange extends DatedChange {
  /** Whether the same change happens at the same time without the update. */
  readonly happensAnyway: boolean;
}

/** The effects of an update of a pool. */
export interface PoolPlan extends PoolForecast {
  readonly changes: readonly PlannedChange[];
}

/**
 * Plans an update of a pool: forecasts its effects until the given time, inclusive. Nothing changes in a frozen pool.
 */
export function planPool(before: PoolState, change: PlannedPoolChange, until: Date): PoolPlan {
  const { size = before.pool.size, utilization = before.pool.utilization, area } = change;
  const after: PoolState = { ...before, ...area, pool: { ...before.pool, size, utilization } };
  const unplanned = new Set(forecastPool(before, until).changes.map(changeKey));
  const { changes, unserved, missing } = forecastPool(after, until);
  return {
    changes: changes.map((each) => ({ ...each, happensAnyway: unplanned.has(changeKey(each)) })),
    unserved,
    missing,
  };
}

function changeKey({ kind, trackingNumber, source, at }: DatedChange): string {
  return JSON.stringify([kind, trackingNumber, source?.source, source?.medium, at.getTime()]);
}
