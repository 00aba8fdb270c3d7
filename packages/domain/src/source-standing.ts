import { pluralize } from "./pluralize.js";
import { type SourceMedium, sourceKey } from "./source-medium.js";
import type { SourceRanking } from "./source-ranking.js";

/** The position of a source in the ranking. */
export interface SourceStanding {
  readonly visits: number;
  /** The best source has rank 1; undefined for a source without visits. */
  readonly rank: number | undefined;
}

/** Returns the position of a source that holds a tracker. */
export function findStanding({ order, held }: SourceRanking, source: SourceMedium): SourceStanding {
  const index = held.get(sourceKey(source));
  const visits = index === undefined ? undefined : order[index]?.visits;
  return { visits: visits ?? 0, rank: index === undefined ? undefined : index + 1 };
}

/** Formats a rank: `rank 2 of 5`, where 5 is the maximum number of active trackers. */
export function rankText(rank: number, maxActive: number): string {
  return `rank ${rank} of ${maxActive}`;
}

/** Formats why a source is not in the top: `100 visits, needs 101`, or else `rank 6 of 5`. */
export function shortfallText({ visits, rank }: SourceStanding, maxActive: number, threshold: number): string {
  return visits > threshold && rank !== undefined
    ? rankText(rank, maxActive)
    : `${pluralize(visits, "visit")}, needs ${threshold + 1}`;
}
