import type { PassContext } from "./pass-context.js";
import { automanagedPassSteps, fillPool, findUnservedSources, manualPassSteps } from "./pass-steps.js";
import { findEarliestGracePeriodEnd, type PassTracker } from "./pass-tracker.js";
import type { RankedSource } from "./source-ranking.js";
import { applyTrackerChanges, type TrackerChange } from "./tracker-change.js";

export interface PassOutcome {
  /** The changes to trackers, in the order in which the pass made them. */
  readonly changes: readonly TrackerChange[];
  /** The trackers after the pass. Contains the added trackers, but not the deleted ones. */
  readonly trackers: readonly PassTracker[];
  /** The sources that should have an active tracker, best first; empty for a manual pool. */
  readonly top: readonly RankedSource[];
  /** The sources in `top` that have no active tracker. */
  readonly unserved: readonly RankedSource[];
  /** How many more free numbers the pass would have needed to fill the pool. */
  readonly missing: number;
  /**
   * The time of the next pass that changes something, if visits and other inputs stay the same. It is `now` if the pass freed a tracker or a place in
   * the pool that the next pass can use. Otherwise, it is the earliest end of a grace period. Undefined if no further pass changes anything.
   */
  readonly nextDueAt: Date | undefined;
}

/** Runs the steps of a pass in order, each on the result of the previous step, and yields between steps. Changes nothing in a frozen pool. */
export function* runPassSteps(context: PassContext, trackers: readonly PassTracker[]): Generator<void, PassOutcome> {
  const { pool, now, ranking, idle } = context;
  if (pool.isFrozen) return frozenOutcome(context, trackers);
  const changes: TrackerChange[] = [];
  let left = trackers;
  let filled = 0;
  for (const step of pool.isManual ? manualPassSteps : automanagedPassSteps) {
    const made = step(context, left);
    left = applyTrackerChanges(left, made, now);
    if (step === fillPool) filled = left.length;
    for (const change of made) changes.push(change);
    yield;
  }
  const unserved = findUnservedSources(ranking.top, left);
  return {
    changes,
    trackers: left,
    top: ranking.top,
    unserved,
    missing: Math.max(0, pool.size - idle.count - filled),
    nextDueAt: nextDueAt(context, left, unserved, left.length < filled),
  };
}

/** Another pass is due at once if it can use trackers or places in the pool that the last steps of this pass freed. */
function nextDueAt(
  { pool, now, settings, idle }: PassContext,
  trackers: readonly PassTracker[],
  unserved: readonly RankedSource[],
  hasDeleted: boolean,
): Date | undefined {
  const canServe = unserved.length > 0 && trackers.some(({ status }) => status === "available");
  const canFill = hasDeleted && idle.count + trackers.length < pool.size;
  if (canServe || canFill) return now;
  const end = findEarliestGracePeriodEnd(trackers, settings.gracePeriodMs);
  const earliest = Math.min(
    end?.getTime() ?? Number.POSITIVE_INFINITY,
    idle.gracePeriodEnd ?? Number.POSITIVE_INFINITY,
  );
  return earliest === Number.POSITIVE_INFINITY ? undefined : new Date(earliest);
}

function frozenOutcome({ ranking }: PassContext, trackers: readonly PassTracker[]): PassOutcome {
  const unserved = findUnservedSources(ranking.top, trackers);
  return { changes: [], trackers, top: ranking.top, unserved, missing: 0, nextDueAt: undefined };
}
