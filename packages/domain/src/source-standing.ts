import { counted } from "./counted.js";
import { type SourceMedium, sourceKey } from "./source-medium.js";
import type { SourceRanking } from "./source-ranking.js";

/** Where a source stands among the others. */
export interface SourceStanding {
  readonly visits: number;
  /** The best is 1; undefined for a source without visits. */
  readonly rank: number | undefined;
}

/** Where a source stands that holds a tracker. */
export function findStanding({ order, held }: SourceRanking, source: SourceMedium): SourceStanding {
  const index = held.get(sourceKey(source));
  const visits = index === undefined ? undefined : order[index]?.visits;
  return { visits: visits ?? 0, rank: index === undefined ? undefined : index + 1 };
}

/** A rank in words: `rank 2 of 5`, where 5 trackers may be active. */
export function rankText(rank: number, atMost: number): string {
  return `rank ${rank} of ${atMost}`;
}

/** What keeps a source from the top, in words: `rank 6 of 5`, or `100 visits, needs 101`, which comes first. */
export function lackText({ visits, rank }: SourceStanding, atMost: number, threshold: number): string {
  return visits > threshold && rank !== undefined
    ? rankText(rank, atMost)
    : `${counted(visits, "visit")}, needs ${threshold + 1}`;
}
