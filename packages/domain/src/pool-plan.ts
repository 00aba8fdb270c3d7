import { type DatedChange, forecastPool, type PoolForecast, type PoolState } from "./pool-forecast.js";

/** What is to change of a pool; what is undefined stays as it is. */
export interface PlannedPoolChange {
  readonly size?: number | undefined;
  readonly utilization?: number | undefined;
  /** With the numbers that it has; see `PoolState`. */
  readonly area?: Pick<PoolState, "areaCode" | "supply"> | undefined;
}

/** A change of a call tracker that is to come. */
export interface PlannedChange extends DatedChange {
  /** Whether the same happens at the same time if the pool is left as it is. */
  readonly happensAnyway: boolean;
}

/** What a change of a pool would do. */
export interface PoolPlan extends PoolForecast {
  readonly changes: readonly PlannedChange[];
}

/** What a change of a pool would do up to a moment, that moment included. Nothing happens to a frozen pool. */
export function planPool(before: PoolState, change: PlannedPoolChange, until: Date): PoolPlan {
  const { size = before.pool.size, utilization = before.pool.utilization, area } = change;
  const after: PoolState = { ...before, ...area, pool: { ...before.pool, size, utilization } };
  const anyway = new Set(forecastPool(before, until).changes.map(changeKey));
  const { changes, unserved, missing } = forecastPool(after, until);
  return {
    changes: changes.map((each) => ({ ...each, happensAnyway: anyway.has(changeKey(each)) })),
    unserved,
    missing,
  };
}

function changeKey({ kind, trackingNumber, source, at }: DatedChange): string {
  return JSON.stringify([kind, trackingNumber, source?.source, source?.medium, at.getTime()]);
}
