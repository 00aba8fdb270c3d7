import type { PassContext } from "./pass-context.js";
import { automanagedSteps, fillPool, findUnserved, manualSteps } from "./pass-steps.js";
import { earliestGracePeriodEnd, type PassTracker } from "./pass-tracker.js";
import type { RankedSource } from "./source-ranking.js";
import { applyChanges, type TrackerChange } from "./tracker-change.js";

export interface PassOutcome {
  /** In the order in which the pass made them. */
  readonly changes: readonly TrackerChange[];
  /** The given and added trackers after the pass, without the deleted ones. */
  readonly trackers: readonly PassTracker[];
  /** The sources that should have a tracker, best first; empty for a manual pool. */
  readonly top: readonly RankedSource[];
  /** The sources in `top` that have no active tracker. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacked to fill the pool. */
  readonly missing: number;
  /**
   * When the next change happens if nothing but time passes: `now` if this pass freed a tracker or place that the next pass can use, and
   * otherwise the earliest end of a grace period. Undefined if no change follows.
   */
  readonly nextDueAt: Date | undefined;
}

/** Runs the steps of a pass in order, each on the result of the previous one, and yields between them. Changes nothing in a frozen pool. */
export function* runSteps(context: PassContext, trackers: readonly PassTracker[]): Generator<void, PassOutcome> {
  const { pool, now, ranking, idle } = context;
  if (pool.isFrozen) return frozenOutcome(context, trackers);
  const changes: TrackerChange[] = [];
  let left = trackers;
  let filled = 0;
  for (const step of pool.isManual ? manualSteps : automanagedSteps) {
    const made = step(context, left);
    left = applyChanges(left, made, now);
    if (step === fillPool) filled = left.length;
    for (const change of made) changes.push(change);
    yield;
  }
  const unserved = findUnserved(ranking.top, left);
  return {
    changes,
    trackers: left,
    top: ranking.top,
    unserved,
    missing: Math.max(0, pool.size - idle.count - filled),
    nextDueAt: nextDueAt(context, left, unserved, left.length < filled),
  };
}

/** A pass follows at once if its steps can use trackers or places that later steps of this pass freed. */
function nextDueAt(
  { pool, now, settings, idle }: PassContext,
  trackers: readonly PassTracker[],
  unserved: readonly RankedSource[],
  hasDeleted: boolean,
): Date | undefined {
  const canServe = unserved.length > 0 && trackers.some(({ status }) => status === "available");
  const canFill = hasDeleted && idle.count + trackers.length < pool.size;
  if (canServe || canFill) return now;
  const end = earliestGracePeriodEnd(trackers, settings.gracePeriodMs);
  const earliest = Math.min(
    end?.getTime() ?? Number.POSITIVE_INFINITY,
    idle.gracePeriodEnd ?? Number.POSITIVE_INFINITY,
  );
  return earliest === Number.POSITIVE_INFINITY ? undefined : new Date(earliest);
}

function frozenOutcome({ ranking }: PassContext, trackers: readonly PassTracker[]): PassOutcome {
  const unserved = findUnserved(ranking.top, trackers);
  return { changes: [], trackers, top: ranking.top, unserved, missing: 0, nextDueAt: undefined };
}
