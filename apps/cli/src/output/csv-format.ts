import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import { escapeCsvFormulas } from "@calltrack/domain/formula-guard";
import { stringify } from "csv-stringify/sync";
import type { OutputFormat, RowList } from "./output-format.js";

/**
 * Creates the format `csv`. Absent values are empty cells; empty strings are `""`.
 *
 * Text that a spreadsheet would run as a formula gets an apostrophe at the beginning. Imports remove the apostrophe.
 */
export function createCsvFormat(header: boolean): OutputFormat {
  return {
    one: (row) => formatCsvLines([...(header ? [Object.keys(row)] : []), Object.values(row)]),
    list: (list) => csvList(list, header),
  };
}

/**
 * Formats lines of a CSV file (RFC 4180, but with LF line endings).
 *
 * @param escapeText replaces control characters other than tabs and line breaks, because they could manipulate the terminal.
 */
export function formatCsvLines(records: readonly (readonly unknown[])[], escapeText = escapeForTerminal): string {
  const string = (text: string) => csvCell(text, escapeText);
  const object = (value: object) => string(JSON.stringify(value));
  return stringify(records as unknown[][], { cast: { boolean: String, string, object }, quoted_match: /\r/ });
}

function csvCell(text: string, escapeText: typeof escapeForTerminal): string | { value: string; quoted_empty: true } {
  if (text === "") return { value: text, quoted_empty: true };
  return escapeCsvFormulas(text).replace(/[^\t\r\n]+|\r(?!\n)/g, (part) => escapeText(part));
}

async function* csvList({ columns, pages }: RowList, header: boolean): AsyncGenerator<string> {
  if (header) yield formatCsvLines([columns]);
  for await (const rows of pages) yield formatCsvLines(rows.map((row) => columns.map((column) => row[column])));
}
