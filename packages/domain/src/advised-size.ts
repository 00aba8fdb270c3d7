import { activeAtMost, type PassInput } from "./pass-input.js";
import type { PassOutcome } from "./pass-outcome.js";
import { sourceKey } from "./source-medium.js";

/** As `pool.ts` lets pools be. */
const LARGEST_SIZE = 10_000;

/**
 * The least size with which every source above the threshold would be served: its share is as many as they are, and it has
 * room for them beside the flagged trackers of other sources and those whose numbers are being retired. The pool's own size if that does already. It takes the inventory
 * for large enough, and counts on no tracker above the size, as those go by and by.
 *
 * Undefined if no size will do, and for a manual pool.
 *
 * @param outcome of a pass over the pool.
 */
export function advisedSize(input: PassInput, outcome: PassOutcome): number | undefined {
  const { pool, settings } = input;
  if (pool.isManual) return undefined;
  const { served, inUse } = demandOf(input, outcome);
  const isEnough = (size: number) => size >= inUse && activeAtMost({ ...pool, size }, settings) >= served;
  const servesAll = outcome.unserved.length === 0 && outcome.top.length === served;
  if (servesAll || isEnough(pool.size)) return pool.size;
  return leastFrom(pool.size, LARGEST_SIZE, isEnough);
}

/** How many trackers would be active, and how many active or flagged, if every source above the threshold were served. */
function demandOf(
  { sources, settings }: PassInput,
  { trackers }: PassOutcome,
): { readonly served: number; readonly inUse: number } {
  const served = new Set(sources.filter(({ visits }) => visits > settings.visitThreshold).map(sourceKey));
  // One whose number is being retired goes on beside the one that its source has then.
  const flagged = trackers.filter(
    ({ status, source, retirement }) =>
      status === "flagged" && (retirement !== undefined || !source || !served.has(sourceKey(source))),
  );
  return { served: served.size, inUse: served.size + flagged.length };
}

/** The least whole number, both bounds included, from which on the condition holds; undefined if it holds for none. */
function leastFrom(low: number, high: number, holds: (value: number) => boolean): number | undefined {
  if (low > high || !holds(high)) return undefined;
  if (low === high) return high;
  const middle = Math.floor((low + high) / 2);
  return holds(middle) ? leastFrom(low, middle, holds) : leastFrom(middle + 1, high, holds);
}
