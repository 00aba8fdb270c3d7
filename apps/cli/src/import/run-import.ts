import type { DescMessage } from "@bufbuild/protobuf";
import type { Invocation } from "../invocation.js";
import { importColumns } from "./import-columns.js";
import type { ImportOptions } from "./import-options.js";
import { createReport } from "./import-report.js";
import type { FieldValue, ImportRow } from "./import-row.js";
import { importRows } from "./import-rows.js";
import { type OpenRowFile, openRowFile, rowFormatOf } from "./open-row-file.js";
import { outcomeOfFailure, type RowOutcome } from "./row-outcome.js";

/** What is imported, and how. */
export interface ImportTask {
  /** The request that a row becomes; its fields are the columns. */
  readonly request: DescMessage;
  readonly file: string;
  readonly options: ImportOptions;
  /** Reads what must be known before the first row, and returns how one row is imported. Its rejections are outcomes. */
  readonly prepare: () => Promise<ImportOne>;
}

/** Imports the fields of one row, named as the message names them. Rejects where the service does not take it. */
export type ImportOne = (fields: Readonly<Record<string, FieldValue>>) => Promise<RowOutcome>;

/**
 * Imports a file and writes the report. Throws after it where rows were refused or the import did not come to its end, at an
 * interrupt with its reason.
 */
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
  const importOne = await task.prepare();
  const report = await createReport(invocation, task, rowFile);
  const importRow = ({ content }: ImportRow): Promise<RowOutcome> =>
    content.kind === "unreadable"
      ? Promise.resolve({ kind: "refused", reason: content.reason })
      : importOne(content.fields).catch(outcomeOfFailure);
  const { concurrency } = task.options;
  const { stop } = invocation.host.interrupt;
  let failure: unknown;
  await importRows({ rows: rowFile.rows, importRow, onOutcome: report.add, concurrency, stop }).catch((error) => {
    failure = stop.aborted ? stop.reason : error;
  });
  await report.finish(failure);
}
