import { activeAtMost, type PassInput } from "./pass-input.js";
import { sourceKey } from "./source-medium.js";
import { rankSources, type SourceRanking } from "./source-ranking.js";

/** What the steps of one pass share. */
export interface PassContext extends Omit<PassInput, "trackers" | "sources"> {
  /** How many trackers may be active. */
  readonly atMost: number;
  readonly ranking: SourceRanking;
  /** The ranks of the top by `sourceKey`; the best is 1. */
  readonly topRanks: ReadonlyMap<string, number>;
  /** Trackers of the pool that no step can change, beside those that the steps are given. */
  readonly idle: IdleTrackers;
}

/** Trackers that a pass leaves alone. */
export interface IdleTrackers {
  /** They only count for the pool's size. */
  readonly count: number;
  /** The end of the timeline that ends first of theirs, if one is flagged. */
  readonly timelineEnd: number | undefined;
}

const NONE: IdleTrackers = { count: 0, timelineEnd: undefined };

/** What the steps of a pass over all trackers of a pool share. */
export function createPassContext({ pool, trackers, sources, inventory, now, settings }: PassInput): PassContext {
  const atMost = activeAtMost(pool, settings);
  // A manual pool's trackers have no sources, and visits do not matter to it.
  const ranking = rankSources(pool.isManual ? [] : sources, trackers, atMost, settings.visitThreshold);
  const topRanks = new Map(ranking.top.map((source, i) => [sourceKey(source), i + 1]));
  return { pool, inventory, now, settings, atMost, ranking, topRanks, idle: NONE };
}
