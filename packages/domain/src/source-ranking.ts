import type { PassTracker } from "./pass-tracker.js";
import { compareSources, createSourceKey, type SourceMedium } from "./source-medium.js";

/** A source with the number of its visits in the visit window. */
export interface RankedSource extends SourceMedium {
  readonly visits: number;
}

/** The sources of a pool's property, ranked by their visits. */
export interface SourceRanking {
  /** All sources, best first. The rank of each source is its index plus 1. */
  readonly order: readonly RankedSource[];
  /** The sources that should have an active tracker: the first ones in `order`. */
  readonly top: readonly RankedSource[];
  /** The ranks of the top sources and of the sources that have a tracker, keyed by `createSourceKey`. The best source has rank 1. */
  readonly ranks: ReadonlyMap<string, number>;
}

/**
 * Ranks sources by visits. The trackers of the sources break ties: an active tracker comes first, then a flagged one, then one whose number is being
 * retired, then none. Therefore, a tie never moves a number to another source. Source and medium break the remaining ties.
 *
 * An active tracker whose number is being retired counts as being retired, because the pass flags it.
 *
 * @param sources the sources with their visits, without duplicates, in any order.
 * @param maxActive the maximum number of top sources.
 * @param threshold the number of visits that a top source must exceed.
 */
export function rankSources(
  sources: readonly RankedSource[],
  trackers: readonly PassTracker[],
  maxActive: number,
  threshold: number,
): SourceRanking {
  const candidates = candidatesOf(sources, trackers).sort(compareCandidates);
  const order = candidates.map(({ ranked }) => ranked);
  const top = order.slice(0, maxActive).filter(({ visits }) => visits > threshold);
  const ranks = new Map<string, number>();
  candidates.forEach(({ key, holding }, i) => {
    if (i < top.length || holding !== Holding.NOTHING) ranks.set(key, i + 1);
  });
  return { order, top, ranks };
}

/** The kinds of tracker that a source can have, in descending order of precedence among sources with equal visits. */
const Holding = { ACTIVE: 0, FLAGGED: 1, RETIRING: 2, NOTHING: 3 } as const;

/** A source to rank, with its key and the kind of its tracker. */
interface Candidate {
  readonly ranked: RankedSource;
  readonly key: string;
  readonly holding: number;
}

function candidatesOf(sources: readonly RankedSource[], trackers: readonly PassTracker[]): Candidate[] {
  const holdings = holdingsOf(trackers);
  return sources.map((ranked) => {
    const key = createSourceKey(ranked);
    return { ranked, key, holding: holdings.get(key) ?? Holding.NOTHING };
  });
}

function holdingsOf(trackers: readonly PassTracker[]): ReadonlyMap<string, number> {
  const holdings = new Map<string, number>();
  for (const tracker of trackers) {
    if (!tracker.source) continue;
    const key = createSourceKey(tracker.source);
    holdings.set(key, Math.min(holdingOf(tracker), holdings.get(key) ?? Holding.NOTHING));
  }
  return holdings;
}

function holdingOf({ status, retirement }: PassTracker): number {
  if (retirement !== undefined) return Holding.RETIRING;
  return status === "active" ? Holding.ACTIVE : Holding.FLAGGED;
}

function compareCandidates(one: Candidate, other: Candidate): number {
  return (
    other.ranked.visits - one.ranked.visits || one.holding - other.holding || compareSources(one.ranked, other.ranked)
  );
}
