import { pluralize } from "./pluralize.js";
import { type SourceMedium, sourceKey } from "./source-medium.js";
import type { SourceRanking } from "./source-ranking.js";

/** The position of a source in the ranking. */
export interface SourceStanding {
  readonly visits: number;
  /** 1 for the best source; undefined for a source without visits. */
  readonly rank: number | undefined;
}

/** Returns the position of a source that is in the top or holds a tracker. */
export function findStanding({ order, ranks }: SourceRanking, source: SourceMedium): SourceStanding {
  const rank = ranks.get(sourceKey(source));
  const visits = rank === undefined ? undefined : order[rank - 1]?.visits;
  return { visits: visits ?? 0, rank };
}

/** Reports whether a source should have an active tracker. */
export function isInTop({ visits, rank }: SourceStanding, maxActive: number, threshold: number): boolean {
  return rank !== undefined && rank <= maxActive && visits > threshold;
}

/** Formats a rank: `rank 2 of 5`, where 5 is the maximum number of active trackers, so that a rank can be higher. */
export function rankText(rank: number, maxActive: number): string {
  return `rank ${rank} of ${maxActive}`;
}

/** Formats why a source is not in the top: `100 visits, needs 101` or, if it has enough visits, `rank 6 of 5`. */
export function shortfallText({ visits, rank }: SourceStanding, maxActive: number, threshold: number): string {
  return visits > threshold && rank !== undefined
    ? rankText(rank, maxActive)
    : `${pluralize(visits, "visit")}, needs ${threshold + 1}`;
}
