import type { RowOutcome } from "./row-outcome.js";

/** How many rows of an import came to which end. */
export interface ImportTally {
  /** All rows that were read. */
  rows: number;
  created: number;
  already_there: number;
  refused: number;
  /** Rows that were sent and not answered: whether they were imported is not known. */
  unanswered: number;
}

/** A tally of no rows. */
export function createTally(): ImportTally {
  return { rows: 0, created: 0, already_there: 0, refused: 0, unanswered: 0 };
}

/** Counts one row. */
export function countOutcome(tally: ImportTally, { kind }: RowOutcome): void {
  tally.rows += 1;
  tally[kind === "already there" ? "already_there" : kind] += 1;
}
