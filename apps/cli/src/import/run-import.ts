import type { DescMessage } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import type { Invocation } from "../invocation/invocation.js";
import { createImportColumns, type RowColumns } from "./import-columns.js";
import type { ImportOptions } from "./import-options.js";
import { createImportReport } from "./import-report.js";
import type { ImportRow, RowContent, RowFields, RowGroup } from "./import-row.js";
import { importRows } from "./import-rows.js";
import { isRegularFile, type OpenRowFile, openRowFile, resolveRowFormat, STDIN_FILE_NAME } from "./open-row-file.js";
import type { UsedFilesByName } from "./rejects-file.js";
import type { CallImportCountName, RowOutcome } from "./row-outcome.js";
import { type RowSender, sendRows } from "./row-sender.js";

export interface ImportTask {
  /** The message type of a row; its fields are the columns. */
  readonly request: DescMessage;
  /** How rows are read and joined into records. By default, each row is a record with the request's columns. */
  readonly joiner?: RowJoiner;
  readonly file: string;
  /** The path of the mapping file, which the rejects file must not overwrite. */
  readonly mapping?: string | undefined;
  readonly options: ImportOptions;
  /** Validates the readable fields of a row that has unreadable ones. */
  readonly findProblems?: (fields: RowFields) => readonly FieldViolation[];
  /** Creates the sender before the first row is read, because the sender may first read data from the service. */
  readonly prepare: () => Promise<RowSender>;
}

/** How the rows of a file become records. */
export interface RowJoiner {
  /** The columns of the file, if they are not those of the request. */
  readonly columns?: RowColumns;
  /** Reads all rows before `join` does, if the file can be read twice. */
  readonly survey?: (rows: AsyncIterable<ImportRow>) => Promise<void>;
  readonly join: (rows: AsyncIterable<ImportRow>) => AsyncIterable<RowGroup>;
  readonly counts: readonly CallImportCountName[];
}

/** Imports a file and prints the report. Throws after the report if rows were rejected or the import ended early. */
export async function runImport(invocation: Invocation, task: ImportTask): Promise<void> {
  const { survey } = task.joiner ?? {};
  if (survey !== undefined && (await isRegularFile(task.file)))
    await withRowFile(invocation, task, ({ rows }) => survey(rows));
  await withRowFile(invocation, task, (rowFile) => importOpenFile(invocation, task, rowFile));
}

async function withRowFile(
  { host }: Invocation,
  { request, joiner, file, options }: ImportTask,
  use: (rowFile: OpenRowFile) => Promise<void>,
): Promise<void> {
  const columns = joiner?.columns ?? createImportColumns(request, options.timeZone);
  const rowFile = await openRowFile(file, resolveRowFormat(file, options.format), columns, host);
  try {
    await use(rowFile);
  } finally {
    rowFile.close();
  }
}

async function importOpenFile(invocation: Invocation, task: ImportTask, rowFile: OpenRowFile): Promise<void> {
  const sender = await task.prepare();
  const report = await createImportReport(
    invocation,
    rowFile,
    usedFiles(invocation, task),
    task.options,
    task.joiner?.counts,
  );
  const importBatch = (groups: readonly RowGroup[]) => importReadable(sender, groups, task);
  const { batchSize } = sender;
  const { concurrency } = task.options;
  const { stop } = invocation.host.interrupt;
  let failure: unknown;
  const groups = (task.joiner?.join ?? singleRows)(rowFile.rows);
  const plan = { groups, batchSize, importBatch, onOutcome: report.add, concurrency, stop };
  await importRows(plan).catch((error) => {
    failure = stop.aborted ? stop.reason : error;
  });
  await report.finish(failure);
}

/** Lists the files that an import uses besides its rejects file. */
function usedFiles({ host, options }: Invocation, { file, mapping }: ImportTask): UsedFilesByName {
  return {
    "the imported file": file === STDIN_FILE_NAME ? host.stdin.fd : file,
    "the --mapping file": mapping,
    "the --ca file": options.ca,
    "the --cert file": options.cert,
    "the --cert-key file": options.certKey,
    "the file to which standard output goes": host.stdout.fd,
    "the file to which standard error goes": host.stderr.fd,
  };
}

async function* singleRows(rows: AsyncIterable<ImportRow>): AsyncGenerator<RowGroup> {
  for await (const row of rows) yield { rows: [row], content: row.content };
}

/** Sends the readable records and rejects the others. */
async function importReadable(
  sender: RowSender,
  groups: readonly RowGroup[],
  task: ImportTask,
): Promise<readonly RowOutcome[]> {
  const contents = groups.map(({ content }) => content);
  const readable = contents.flatMap((content) => (content.kind === "fields" ? [content.fields] : []));
  const sent = readable.length === 0 ? [] : await sendRows(sender, readable);
  const outcomes = sent.values();
  return contents.map((content) => {
    if (content.kind === "skipped") return content;
    return content.kind === "unreadable"
      ? { kind: "refused", reason: [content.reason, ...otherProblems(content, task)].join("; ") }
      : (outcomes.next().value ?? { kind: "unanswered" });
  });
}

/** Validates the readable fields of an unreadable row in the client, because the service never sees the row. */
function otherProblems({ rest }: RowContent & { readonly kind: "unreadable" }, { findProblems }: ImportTask): string[] {
  if (rest === undefined || findProblems === undefined) return [];
  const violations = findProblems(rest.fields).filter(({ field }) => !rest.unread.includes(field));
  return violations.map(({ field, description }) => `${field} ${description}`);
}
