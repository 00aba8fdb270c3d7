import type { ImportTally } from "./import-tally.js";

/** An import that left rows out. What ended it early, if anything, is its cause. */
export class IncompleteImportError extends Error {
  override readonly name = "IncompleteImportError";

  constructor(tally: ImportTally, cause: unknown, rejects: string | undefined) {
    super(cause === undefined ? refusedText(tally, rejects) : stoppedText(tally), { cause });
  }
}

function refusedText({ refused, rows }: ImportTally, rejects: string | undefined): string {
  const remedy =
    rejects === undefined ? "put them right and import the file again" : `put them right in ${rejects} and import that`;
  return `${refused} of ${rows} rows were refused: ${remedy}`;
}

function stoppedText({ rows, unanswered }: ImportTally): string {
  const answered = `the import stopped after ${rows - unanswered} rows were acknowledged`;
  return `${answered}: import the same file again, and only what is missing is created`;
}
