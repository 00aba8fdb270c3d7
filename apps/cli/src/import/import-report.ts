import { visibleText } from "@calltrack/domain/visible-text";
import type { Invocation } from "../invocation/invocation.js";
import type { ImportOptions } from "./import-options.js";
import type { ImportRow } from "./import-row.js";
import { IncompleteImportError } from "./incomplete-import-error.js";
import type { OpenRowFile } from "./open-row-file.js";
import { createPlainProgress, createProgressBar } from "./progress-bar.js";
import { openRejectsFile } from "./rejects-file.js";
import type { ImportTally, RowOutcome } from "./row-outcome.js";

/** The report of an import to the user. */
export interface ImportReport {
  /** Counts a row. A refused row is printed with its line number and reason. */
  readonly add: (row: ImportRow, outcome: RowOutcome) => Promise<void>;
  /**
   * Prints the counts to stdout. Throws unless every row was imported.
   *
   * @param failure the error that ended the import early; undefined if it completed.
   */
  readonly finish: (failure: unknown) => Promise<void>;
}

/** Creates a report. Refused rows go to stderr and to the rejects file; progress goes to stderr if it is a terminal. */
export async function createImportReport(
  invocation: Invocation,
  { rejectsHeader, totalBytes }: OpenRowFile,
  file: string,
  { rejects }: ImportOptions,
): Promise<ImportReport> {
  const { stderr } = invocation.host;
  const tally: ImportTally = { rows: 0, created: 0, already_there: 0, refused: 0, unanswered: 0 };
  const rejectsFile = rejects === undefined ? undefined : await openRejectsFile(rejects, rejectsHeader, file);
  const hasBar = stderr.isTTY && !invocation.options.verbose;
  const progress = hasBar ? createProgressBar(stderr, totalBytes) : createPlainProgress(stderr);
  invocation.notify = progress.log;
  return {
    async add(row, outcome) {
      tally.rows += 1;
      tally[outcome.kind === "already there" ? "already_there" : outcome.kind] += 1;
      progress.update(row.endByte, tally);
      if (outcome.kind !== "refused") return;
      progress.log(`line ${row.line}: ${visibleText(outcome.reason)}\n`);
      await rejectsFile?.add(row.toReject(outcome.reason));
    },
    async finish(failure) {
      progress.stop();
      await rejectsFile?.close();
      await invocation.showRow({ ...tally });
      if (failure !== undefined || tally.refused > 0) throw new IncompleteImportError(tally, failure, rejects);
    },
  };
}
