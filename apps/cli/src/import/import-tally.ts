import type { RowOutcome } from "./row-outcome.js";

/** The number of rows by outcome. */
export interface ImportTally {
  /** All rows read. */
  rows: number;
  created: number;
  already_there: number;
  refused: number;
  /** Rows sent without a response: it is unknown whether they were imported. */
  unanswered: number;
}

/** Creates a tally with all counts 0. */
export function createTally(): ImportTally {
  return { rows: 0, created: 0, already_there: 0, refused: 0, unanswered: 0 };
}

/** Counts one row. */
export function countOutcome(tally: ImportTally, { kind }: RowOutcome): void {
  tally.rows += 1;
  tally[kind === "already there" ? "already_there" : kind] += 1;
}
