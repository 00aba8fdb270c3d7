import { maxActiveTrackers, type PassInput } from "./pass-input.js";
import { rankSources, type SourceRanking } from "./source-ranking.js";

/** The state that the steps of a pass share. */
export interface PassContext extends Omit<PassInput, "trackers" | "sources"> {
  /** Maximum number of active trackers. */
  readonly maxActive: number;
  readonly ranking: SourceRanking;
  /** The trackers in the pool that the pass skips, because no step can change them. */
  readonly idle: IdleTrackers;
}

/** The trackers in a pool that a pass skips. */
export interface IdleTrackers {
  /** Counts toward the pool's size. */
  readonly count: number;
  /** The earliest end of their grace periods, in milliseconds since 1970; undefined if none is flagged. */
  readonly gracePeriodEnd: number | undefined;
}

const NONE: IdleTrackers = { count: 0, gracePeriodEnd: undefined };

/** Creates the context for a pass over all trackers of a pool. */
export function createPassContext({ pool, trackers, sources, inventory, now, settings }: PassInput): PassContext {
  const maxActive = maxActiveTrackers(pool, settings);
  // A manual pool ignores visits, and its trackers have no sources.
  const ranking = rankSources(pool.isManual ? [] : sources, trackers, maxActive, settings.visitThreshold);
  return { pool, inventory, now, settings, maxActive, ranking, idle: NONE };
}
