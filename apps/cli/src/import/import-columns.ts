import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { REASON_COLUMN } from "./import-row.js";

/** The columns that a file may have, by name. */
export type ImportColumns = ReadonlyMap<string, DescField>;

/** The fields of a create request that no file gives: the command line names the account, and makes the id of each request. */
const NO_COLUMNS: readonly string[] = ["account_id", "request_id"];

/** The fields of a create request that a file gives. */
export function importColumns(request: DescMessage): ImportColumns {
  const fields = request.fields.filter(({ name }) => !NO_COLUMNS.includes(name));
  return new Map(fields.map((field) => [field.name, field]));
}

/** Says which names are no columns and which are, or returns undefined where all are. */
export function unknownColumnsText(columns: ImportColumns, names: readonly string[]): string | undefined {
  const unknown = names.filter((name) => name !== REASON_COLUMN && !columns.has(name));
  if (unknown.length === 0) return undefined;
  const quoted = unknown.map((name) => JSON.stringify(name)).join(", ");
  return `unknown ${unknown.length === 1 ? "column" : "columns"} ${quoted}; the columns are ${[...columns.keys()].join(", ")}`;
}

/** The part of an import's help that names its columns. */
export function columnsHelp(request: DescMessage): string {
  const names = [...importColumns(request).keys()];
  return `
Columns (the first line of a CSV file names them; in JSONL they are keys):
${names.map((name) => `  ${name}\n`).join("")}
  An empty cell, or null, is an absent value. A column "${REASON_COLUMN}", which --rejects
  writes, is passed over.
`;
}
