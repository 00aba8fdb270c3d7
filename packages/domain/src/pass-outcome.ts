import type { PassContext } from "./pass-context.js";
import { automanagedSteps, fill, findUnserved, manualSteps } from "./pass-steps.js";
import { earliestTimelineEnd, type PassTracker } from "./pass-tracker.js";
import type { RankedSource } from "./source-ranking.js";
import { applyChanges, type TrackerChange } from "./tracker-change.js";

/** What a pass did, and what it could not do. */
export interface PassOutcome {
  /** In the order in which they happened. */
  readonly changes: readonly TrackerChange[];
  /** The trackers that the steps were given, after the pass. */
  readonly trackers: readonly PassTracker[];
  /** The sources that are to have a tracker, best first; none in a manual pool. */
  readonly top: readonly RankedSource[];
  /** Those of the top that got none. */
  readonly unserved: readonly RankedSource[];
  /** How many numbers the inventory lacked to fill the pool. */
  readonly missing: number;
  /**
   * When the passage of time alone makes the next change: `now` if this pass freed what the next one can use, else the end of
   * the earliest timeline; undefined for never.
   */
  readonly nextDueAt: Date | undefined;
}

/** Takes the steps of a pass, each over the trackers that the step before left. Nothing changes in a frozen pool. */
export function takeSteps(context: PassContext, trackers: readonly PassTracker[]): PassOutcome {
  const { pool, now, ranking, idle } = context;
  if (pool.isFrozen) return frozenOutcome(context, trackers);
  const changes: TrackerChange[] = [];
  let left = trackers;
  let filled = 0;
  for (const step of pool.isManual ? manualSteps : automanagedSteps) {
    const made = step(context, left);
    left = applyChanges(left, made, now);
    if (step === fill) filled = left.length;
    for (const change of made) changes.push(change);
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

/** A step uses what a later step frees only in the next pass. */
function nextDueAt(
  { pool, now, settings, idle }: PassContext,
  trackers: readonly PassTracker[],
  unserved: readonly RankedSource[],
  hasDeleted: boolean,
): Date | undefined {
  const canServe = unserved.length > 0 && trackers.some(({ status }) => status === "available");
  const canFill = hasDeleted && idle.count + trackers.length < pool.size;
  if (canServe || canFill) return now;
  const end = earliestTimelineEnd(trackers, settings.timelineMs);
  const earliest = Math.min(end?.getTime() ?? Number.POSITIVE_INFINITY, idle.timelineEnd ?? Number.POSITIVE_INFINITY);
  return earliest === Number.POSITIVE_INFINITY ? undefined : new Date(earliest);
}

function frozenOutcome({ ranking }: PassContext, trackers: readonly PassTracker[]): PassOutcome {
  const unserved = findUnserved(ranking.top, trackers);
  return { changes: [], trackers, top: ranking.top, unserved, missing: 0, nextDueAt: undefined };
}
