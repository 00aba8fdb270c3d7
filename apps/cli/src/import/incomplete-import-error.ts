import type { ImportTally } from "./import-tally.js";

/** An import that did not import every row. The cause is the error that ended it early, if any. */
export class IncompleteImportError extends Error {
  override readonly name = "IncompleteImportError";

  constructor(tally: ImportTally, cause: unknown, rejects: string | undefined) {
    super(cause === undefined ? refusedText(tally, rejects) : stoppedText(tally), { cause });
  }
}

function refusedText({ refused, rows }: ImportTally, rejects: string | undefined): string {
  const remedy =
    rejects === undefined
      ? "correct them and import the file again"
      : `correct them in ${rejects} and import that file`;
  return `${refused} of ${rows} rows were refused: ${remedy}`;
}

function stoppedText({ rows, unanswered }: ImportTally): string {
  const answered = `the import stopped after ${rows - unanswered} rows were acknowledged`;
  return `${answered}: import the same file again to create the missing ones`;
}
