import { pluralize } from "@calltrack/domain/pluralize";
import type { ImportTally } from "./row-outcome.js";

/** Thrown if an import did not import every row. The cause is the error that ended the import early, if any. */
export class IncompleteImportError extends Error {
  override readonly name = "IncompleteImportError";

  constructor(tally: ImportTally, cause: unknown, rejects: string | undefined) {
    super(cause === undefined ? refusedText(tally, rejects) : stoppedText(tally), { cause });
  }
}

function refusedText(tally: ImportTally, rejects: string | undefined): string {
  const { refused, rows, different = 0 } = tally;
  if (refused === 0)
    return `${pluralize(different, "call")} ${different === 1 ? "is" : "are"} recorded with different facts: compare the file with the recorded calls, and correct what is wrong`;
  const [verb, them] = refused === 1 ? ["was", "it"] : ["were", "them"];
  const remedy =
    rejects === undefined
      ? `correct ${them} and import the file again`
      : `correct ${them} in ${rejects} and import that file`;
  return `${refused} of ${pluralize(rows, "row")} ${verb} refused: ${remedy}`;
}

function stoppedText({ rows, unanswered }: ImportTally): string {
  const count = rows - unanswered;
  const answered = `the import stopped after ${pluralize(count, "row")} ${count === 1 ? "was" : "were"} acknowledged`;
  return `${answered}: import the same file again to add the missing rows`;
}
