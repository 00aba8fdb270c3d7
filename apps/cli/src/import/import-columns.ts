import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { REASON_COLUMN } from "./import-row.js";

/** The columns that a file may have, by name. */
export type ImportColumns = ReadonlyMap<string, DescField>;

/** Fields that files do not provide: the command line sets the account, and request ids are generated. */
const EXCLUDED_FIELDS: readonly string[] = ["account_id", "request_id"];

/** Returns the columns for a create request. */
export function importColumns(request: DescMessage): ImportColumns {
  const fields = request.fields.filter(({ name }) => !EXCLUDED_FIELDS.includes(name));
  return new Map(fields.map((field) => [field.name, field]));
}

/** Returns an error message that names unknown columns and lists the known ones; undefined if all are known. */
export function unknownColumnsText(columns: ImportColumns, names: readonly string[]): string | undefined {
  const unknown = names.filter((name) => name !== REASON_COLUMN && !columns.has(name));
  if (unknown.length === 0) return undefined;
  const quoted = unknown.map((name) => JSON.stringify(name)).join(", ");
  return `unknown ${unknown.length === 1 ? "column" : "columns"} ${quoted}: the columns are ${[...columns.keys()].join(", ")}`;
}

/** Returns the section of an import's help that lists its columns. */
export function columnsHelp(request: DescMessage): string {
  const names = [...importColumns(request).keys()];
  return `
Columns (named by the first line of a CSV file, or by the keys in JSONL):
${names.map((name) => `  ${name}\n`).join("")}
  Empty cells and null are absent values. The column "${REASON_COLUMN}", which --rejects
  adds, is ignored.
`;
}
