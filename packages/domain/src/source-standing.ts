import { pluralize } from "./pluralize.js";
import { createSourceKey, type SourceMedium } from "./source-medium.js";
import type { SourceRanking } from "./source-ranking.js";

/** The rank of a source, and the visits that led to it. */
export interface SourceStanding {
  readonly visits: number;
  /** The rank of the source: 1 for the best source; undefined for a source without visits. */
  readonly rank: number | undefined;
}

/**
 * Returns the rank and visits of a source that is a top source or has a tracker. For any other source, the rank is undefined and the number of visits
 * is 0.
 */
export function findSourceStanding({ order, ranks }: SourceRanking, source: SourceMedium): SourceStanding {
  const rank = ranks.get(createSourceKey(source));
  const visits = rank === undefined ? undefined : order[rank - 1]?.visits;
  return { visits: visits ?? 0, rank };
}

/** Reports whether the rank and visits of a source are high enough for an active tracker. */
export function isTopSource({ visits, rank }: SourceStanding, maxActive: number, threshold: number): boolean {
  return rank !== undefined && rank <= maxActive && visits > threshold;
}

/** Formats a rank, such as `rank 2 of 5`. 5 is the maximum number of active trackers, so `rank 6 of 5` is possible. */
export function formatRank(rank: number, maxActive: number): string {
  return `rank ${rank} of ${maxActive}`;
}

/** Formats the reason why a source gets no tracker: `100 visits, needs 101` or, if the source has enough visits, `rank 6 of 5`. */
export function formatRankShortfall({ visits, rank }: SourceStanding, maxActive: number, threshold: number): string {
  return visits > threshold && rank !== undefined
    ? formatRank(rank, maxActive)
    : `${pluralize(visits, "visit")}, needs ${threshold + 1}`;
}
