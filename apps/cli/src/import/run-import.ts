import type { Invocation } from "../invocation/invocation.js";
import { importColumns } from "./import-columns.js";
import { createImportReport } from "./import-report.js";
import type { ImportRow, RowContent } from "./import-row.js";
import { importRows } from "./import-rows.js";
import type { ImportTask } from "./import-task.js";
import { type OpenRowFile, openRowFile, rowFormatOf } from "./open-row-file.js";
import type { RowOutcome } from "./row-outcome.js";
import { type RowSender, sendRows } from "./row-sender.js";

/** Imports a file and prints the report. Throws after the report if rows were refused or the import ended early. */
export async function runImport(invocation: Invocation, task: ImportTask): Promise<void> {
  const { host } = invocation;
  const format = rowFormatOf(task.file, task.options.format);
  const rowFile = await openRowFile(task.file, format, importColumns(task.request), host);
  const stopReading = () => rowFile.close(host.interrupt.stop.reason);
  host.interrupt.stop.addEventListener("abort", stopReading);
  try {
    await importOpenFile(invocation, task, rowFile);
  } finally {
    host.interrupt.stop.removeEventListener("abort", stopReading);
    rowFile.close();
  }
}

async function importOpenFile(invocation: Invocation, task: ImportTask, rowFile: OpenRowFile): Promise<void> {
  const sender = await task.prepare();
  const report = await createImportReport(invocation, task, rowFile);
  const importBatch = (rows: readonly ImportRow[]) => importReadable(sender, rows, task);
  const { concurrency } = task.options;
  const { stop } = invocation.host.interrupt;
  const plan = {
    rows: rowFile.rows,
    batchSize: sender.batchSize,
    importBatch,
    onOutcome: report.add,
    concurrency,
    stop,
  };
  let failure: unknown;
  await importRows(plan).catch((error) => {
    failure = stop.aborted ? stop.reason : error;
  });
  await report.finish(failure);
}

/** Sends the readable rows and refuses the others. */
async function importReadable(
  sender: RowSender,
  rows: readonly ImportRow[],
  task: ImportTask,
): Promise<readonly RowOutcome[]> {
  const contents = rows.map(({ content }) => content);
  const readable = contents.flatMap((content) => (content.kind === "fields" ? [content.fields] : []));
  const sent = readable.length === 0 ? [] : await sendRows(sender, readable);
  const outcomes = sent.values();
  return contents.map((content) =>
    content.kind === "unreadable"
      ? { kind: "refused", reason: [content.reason, ...otherProblems(content, task)].join("; ") }
      : (outcomes.next().value ?? { kind: "unanswered" }),
  );
}

/** Validates the other fields of an unreadable row here, because the service never sees the row. */
function otherProblems({ rest }: RowContent & { readonly kind: "unreadable" }, { findProblems }: ImportTask): string[] {
  if (rest === undefined || findProblems === undefined) return [];
  const violations = findProblems(rest.fields).filter(({ field }) => !rest.unread.includes(field));
  return violations.map(({ field, description }) => `${field} ${description}`);
}
