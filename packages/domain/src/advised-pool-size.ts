import type { PassContext } from "./pass-context.js";
import { computeMaxActiveTrackers } from "./pass-input.js";
import type { PassOutcome } from "./pass-outcome.js";
import { MAX_POOL_SIZE } from "./pool.js";
import { findSourceStanding } from "./source-standing.js";

/**
 * Returns the smallest pool size that serves every source above the visit threshold, or the current size if that is enough. Returns
 * undefined if no size is enough, and for a manual pool.
 *
 * The size allows an active tracker for each source above the threshold. It also leaves room for the flagged trackers of other sources, and
 * for trackers whose numbers are being retired. Assumes that the inventory has enough numbers. Ignores trackers above the pool's size,
 * because they are deleted over time.
 *
 * @param context the context of a pass over the pool.
 * @param outcome the result of the pass with that context.
 */
export function findAdvisedPoolSize(context: PassContext, outcome: PassOutcome): number | undefined {
  const { pool, settings } = context;
  if (pool.isManual) return undefined;
  const { served, inUse } = demandOf(context, outcome);
  const isLargeEnough = (size: number) =>
    size >= inUse && computeMaxActiveTrackers({ ...pool, size }, settings) >= served;
  const servesAll = outcome.unserved.length === 0 && outcome.top.length === served;
  if (servesAll || isLargeEnough(pool.size)) return pool.size;
  return findSmallest(pool.size, MAX_POOL_SIZE, isLargeEnough);
}

/**
 * Returns the number of trackers that are necessary to serve every source above the visit threshold. `served` trackers must be active, and `inUse`
 * trackers must be active or flagged.
 */
function demandOf(
  { ranking, settings }: PassContext,
  { trackers }: PassOutcome,
): { readonly served: number; readonly inUse: number } {
  const isServed = ({ visits }: { readonly visits: number }) => visits > settings.visitThreshold;
  const served = ranking.order.filter(isServed).length;
  // A tracker whose number is being retired stays flagged even if its source already has another tracker.
  const flagged = trackers.filter(
    ({ status, source, retirement }) =>
      status === "flagged" && (retirement !== undefined || !source || !isServed(findSourceStanding(ranking, source))),
  );
  return { served, inUse: served + flagged.length };
}

/** Returns the smallest integer from `low` to `high` for which the monotonic condition `holds`; undefined if there is none. */
function findSmallest(low: number, high: number, holds: (value: number) => boolean): number | undefined {
  if (low > high || !holds(high)) return undefined;
  if (low === high) return high;
  const middle = Math.floor((low + high) / 2);
  return holds(middle) ? findSmallest(low, middle, holds) : findSmallest(middle + 1, high, holds);
}
