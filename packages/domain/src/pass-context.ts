import { computeMaxActiveTrackers, type PassInput } from "./pass-input.js";
import { rankSources, type SourceRanking } from "./source-ranking.js";

/** The input that all steps of a pass share. The trackers are passed separately, because each step changes them. */
export interface PassContext extends Omit<PassInput, "trackers" | "sources"> {
  /** Maximum number of active trackers in the pool. */
  readonly maxActive: number;
  readonly ranking: SourceRanking;
  /** Trackers in the pool that the pass skips, because no step can change them. */
  readonly idle: SkippedTrackers;
}

/** The number of trackers that a pass skips, and the time at which the first of them can change. */
export interface SkippedTrackers {
  /** Number of skipped trackers, which counts toward the pool's size. */
  readonly count: number;
  /** The earliest end of a skipped tracker's grace period, in milliseconds since 1970; undefined if none is flagged. */
  readonly gracePeriodEnd: number | undefined;
}

const NONE: SkippedTrackers = { count: 0, gracePeriodEnd: undefined };

/** Creates the context for a pass over all trackers of a pool. */
export function createPassContext({ pool, trackers, sources, inventory, now, settings }: PassInput): PassContext {
  const maxActive = computeMaxActiveTrackers(pool, settings);
  // A manual pool ignores visits, and its trackers have no sources.
  const ranking = rankSources(pool.isManual ? [] : sources, trackers, maxActive, settings.visitThreshold);
  return { pool, inventory, now, settings, maxActive, ranking, idle: NONE };
}
