import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { normalizeColumnName } from "../text/normalize-word.js";
import type { TimeZone } from "../text/time-zone.js";
import { REJECT_REASON_COLUMN } from "./import-row.js";

export interface ImportColumn {
  readonly field: DescField;
  /** The time zone of times without an offset; if undefined, such times are invalid. */
  readonly zone: TimeZone | undefined;
}

/** The columns that a file may have, keyed by name. */
export type ImportColumns = ReadonlyMap<string, ImportColumn>;

/** Columns that may have any name. All are read as text. */
export interface ArbitraryColumns {
  /**
   * Returns the names of the columns: the first row itself, or implied names if the first row contains data.
   *
   * @throws UsageError if the columns cannot be imported.
   */
  readonly chooseHeader: (first: readonly string[]) => readonly string[];
  /** The name of the column that the rejects file adds for the reason. It must not be the name of a column that is read. */
  readonly reasonColumn: string;
}

export type RowColumns = ImportColumns | ArbitraryColumns;

/** Returns the name of the column that the rejects file adds for the reason. */
export function getReasonColumn(columns: RowColumns): string {
  return "chooseHeader" in columns ? columns.reasonColumn : REJECT_REASON_COLUMN;
}

/** Fields that files do not provide: the command line sets the account, and request ids are generated. */
const EXCLUDED_FIELDS: readonly string[] = ["account_id", "request_id"];

/** Returns the columns of a file whose rows become create requests. */
export function createImportColumns(request: DescMessage, zone?: TimeZone): ImportColumns {
  const fields = request.fields.filter(({ name }) => !EXCLUDED_FIELDS.includes(name));
  return new Map(fields.map((field) => [field.name, { field, zone }]));
}

/** Returns the known column that a name in a header stands for, such as `started_at` for `Started At`, or the name itself if it is unknown. */
export function findImportColumnName(columns: ImportColumns, name: string): string {
  return (
    [...columns.keys(), REJECT_REASON_COLUMN].find(
      (known) => normalizeColumnName(known) === normalizeColumnName(name),
    ) ?? name
  );
}

/** Returns an error message that names unknown columns and lists the known ones; undefined if all are known. */
export function describeUnknownColumns(columns: ImportColumns, names: readonly string[]): string | undefined {
  const unknown = names.filter((name) => name !== REJECT_REASON_COLUMN && !columns.has(name));
  if (unknown.length === 0) return undefined;
  const quoted = unknown.map((name) => JSON.stringify(name)).join(", ");
  return `unknown ${unknown.length === 1 ? "column" : "columns"} ${quoted}: the columns are ${[...columns.keys()].join(", ")}`;
}

/** Returns the section of an import's help that lists its columns. */
export function formatColumnsHelp(request: DescMessage): string {
  const names = [...createImportColumns(request).keys()];
  return `
Columns (named in the first line of a CSV file, or by the keys of JSONL objects):
${names.map((name) => `  ${name}\n`).join("")}
  Empty cells and null are absent values. The column "${REJECT_REASON_COLUMN}", which --rejects
  adds, is ignored. CSV cells are separated by commas, semicolons or tabs; blank rows
  are skipped. Files are UTF-8, or UTF-16 with a byte order mark.
`;
}
