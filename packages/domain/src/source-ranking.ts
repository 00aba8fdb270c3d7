import type { PassTracker } from "./pass-tracker.js";
import { compareSources, type SourceMedium, sourceKey } from "./source-medium.js";

/** A source with its visits in the visit window. */
export interface RankedSource extends SourceMedium {
  readonly visits: number;
}

/** The sources of a pool's property, best first. */
export interface SourceRanking {
  /** All sources; the rank of each is its index plus 1. */
  readonly order: readonly RankedSource[];
  /** The sources that should have a tracker: the first ones of `order`. */
  readonly top: readonly RankedSource[];
  /** The ranks of the top sources and of the sources that hold a tracker, by `sourceKey`. The best source has rank 1. */
  readonly ranks: ReadonlyMap<string, number>;
}

/**
 * Ranks sources by visits. Ties are broken by the tracker that a source holds (active, flagged, being retired, none), so that a tie moves no
 * numbers, and then by source and medium. An active tracker whose number is being retired counts as being retired, because the pass flags it.
 *
 * @param sources without duplicates, in any order.
 * @param maxActive maximum number of sources in the top.
 * @param threshold the top requires more visits than this.
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

/** Ordered by precedence in a tie. */
const Holding = { ACTIVE: 0, FLAGGED: 1, RETIRING: 2, NOTHING: 3 } as const;

/** A source with the tracker that it holds. */
interface Candidate {
  readonly ranked: RankedSource;
  readonly key: string;
  readonly holding: number;
}

function candidatesOf(sources: readonly RankedSource[], trackers: readonly PassTracker[]): Candidate[] {
  const holdings = holdingsOf(trackers);
  return sources.map((ranked) => {
    const key = sourceKey(ranked);
    return { ranked, key, holding: holdings.get(key) ?? Holding.NOTHING };
  });
}

function holdingsOf(trackers: readonly PassTracker[]): ReadonlyMap<string, number> {
  const holdings = new Map<string, number>();
  for (const tracker of trackers) {
    if (!tracker.source) continue;
    const key = sourceKey(tracker.source);
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
