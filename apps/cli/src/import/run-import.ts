import type { DescMessage } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import type { Invocation } from "../invocation/invocation.js";
import { importColumns } from "./import-columns.js";
import type { ImportOptions } from "./import-options.js";
import { createImportReport } from "./import-report.js";
import type { ImportRow, RowContent, RowFields } from "./import-row.js";
import { importRows } from "./import-rows.js";
import { type OpenRowFile, openRowFile, rowFormatOf } from "./open-row-file.js";
import type { RowOutcome } from "./row-outcome.js";
import { type RowSender, sendRows } from "./row-sender.js";

/** An import to run. */
export interface ImportTask {
  /** The message type of a row; its fields are the columns. */
  readonly request: DescMessage;
  readonly file: string;
  readonly options: ImportOptions;
  /** Validates the readable fields of a row that has unreadable ones. */
  readonly findProblems?: (fields: RowFields) => readonly FieldViolation[];
  /** Reads what the import needs to know before the first row. */
  readonly prepare: () => Promise<RowSender>;
}

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
  const report = await createImportReport(invocation, rowFile, task.file, task.options);
  const importBatch = (rows: readonly ImportRow[]) => importReadable(sender, rows, task);
  const { batchSize } = sender;
  const { concurrency } = task.options;
  const { stop } = invocation.host.interrupt;
  let failure: unknown;
  const plan = { rows: rowFile.rows, batchSize, importBatch, onOutcome: report.add, concurrency, stop };
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
