import { activeAtMost, type PassInput } from "./pass-input.js";
import { automanagedSteps, findUnserved, manualSteps, type PassContext } from "./pass-steps.js";
import { earliestTimelineEnd, type PassTracker } from "./pass-tracker.js";
import { sourceKey } from "./source-medium.js";
import { type RankedSource, rankSources } from "./source-ranking.js";
import { applyChanges, type TrackerChange } from "./tracker-change.js";

/** What a pass did, and what it could not do. */
export interface PassOutcome {
  /** In the order in which they happened. */
  readonly changes: readonly TrackerChange[];
  /** The pool's trackers after the pass. */
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

/**
 * One pass over a pool: what changes so that the best sources of its property have its trackers. A number is taken away from
 * a source only after its timeline, and an active or flagged tracker is never deleted for the pool's size. A clock that jumps
 * back only makes timelines end later.
 */
export function runPass(input: PassInput): PassOutcome {
  const context = contextOf(input);
  const changes: TrackerChange[] = [];
  let trackers = input.trackers;
  for (const step of input.pool.isManual ? manualSteps : automanagedSteps) {
    const made = step(context, trackers);
    trackers = applyChanges(trackers, made, input.now);
    for (const change of made) changes.push(change);
  }
  const unserved = findUnserved(context.ranking.top, trackers);
  const added = changes.filter(({ kind }) => kind === "added").length;
  return {
    changes,
    trackers,
    top: context.ranking.top,
    unserved,
    missing: Math.max(0, input.pool.size - input.trackers.length - added),
    nextDueAt: nextDueAt(input, changes, trackers, unserved),
  };
}

function contextOf(input: PassInput): PassContext {
  const atMost = activeAtMost(input.pool, input.settings);
  // A manual pool's trackers have no sources, and visits do not matter to it.
  const sources = input.pool.isManual ? [] : input.sources;
  const ranking = rankSources(sources, input.trackers, atMost, input.settings.visitThreshold);
  const topRanks = new Map(ranking.top.map((source, i) => [sourceKey(source), i + 1]));
  return { ...input, atMost, ranking, topRanks };
}

/** A step uses what a later step frees only in the next pass. */
function nextDueAt(
  { pool, now, settings }: PassInput,
  changes: readonly TrackerChange[],
  trackers: readonly PassTracker[],
  unserved: readonly RankedSource[],
): Date | undefined {
  const canServe = unserved.length > 0 && trackers.some(({ status }) => status === "available");
  const canFill = trackers.length < pool.size && changes.some(({ kind }) => kind === "deleted");
  return canServe || canFill ? now : earliestTimelineEnd(trackers, settings.timelineMs);
}
