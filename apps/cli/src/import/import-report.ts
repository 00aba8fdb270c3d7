import { visibleText } from "@calltrack/domain/visible-text";
import type { Invocation } from "../invocation/invocation.js";
import type { ImportRow } from "./import-row.js";
import { countOutcome, createTally, type ImportTally } from "./import-tally.js";
import type { ImportTask } from "./import-task.js";
import { IncompleteImportError } from "./incomplete-import-error.js";
import type { OpenRowFile } from "./open-row-file.js";
import { createPlainProgress, createProgressBar, type ImportProgress } from "./progress-bar.js";
import { openRejectsFile, type RejectsFile } from "./rejects-file.js";
import type { RowOutcome } from "./row-outcome.js";

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
  task: ImportTask,
  rowFile: OpenRowFile,
): Promise<ImportReport> {
  const tally = createTally();
  const { rejects } = task.options;
  const rejectsFile =
    rejects === undefined ? undefined : await openRejectsFile(rejects, rowFile.rejectsHeader, task.file);
  const progress = createProgress(invocation, rowFile);
  invocation.notify = progress.log;
  return {
    add: (row, outcome) => addOutcome({ tally, rejectsFile, progress }, row, outcome),
    finish: async (failure) => {
      progress.stop();
      await rejectsFile?.close();
      await invocation.showRow({ ...tally });
      if (failure !== undefined || tally.refused > 0) throw new IncompleteImportError(tally, failure, rejects);
    },
  };
}

interface ReportParts {
  readonly tally: ImportTally;
  readonly rejectsFile: RejectsFile | undefined;
  readonly progress: ImportProgress;
}

async function addOutcome(
  { tally, rejectsFile, progress }: ReportParts,
  row: ImportRow,
  outcome: RowOutcome,
): Promise<void> {
  countOutcome(tally, outcome);
  progress.update(row.endByte, tally);
  if (outcome.kind !== "refused") return;
  progress.log(`line ${row.line}: ${visibleText(outcome.reason)}\n`);
  await rejectsFile?.add(row.toReject(outcome.reason));
}

function createProgress({ host, options }: Invocation, { totalBytes }: OpenRowFile): ImportProgress {
  const { stderr } = host;
  return stderr.isTTY && !options.verbose ? createProgressBar(stderr, totalBytes) : createPlainProgress(stderr);
}
