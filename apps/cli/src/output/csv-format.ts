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

/** Formats lines of a CSV file (RFC 4180, but with LF line endings). */
export function formatCsvLines(records: readonly (readonly unknown[])[]): string {
  return stringify(records as unknown[][], { cast: { boolean: String, string: csvCell, object: listCell } });
}

function csvCell(text: string): string | { value: string; quoted_empty: true } {
  if (text === "") return { value: text, quoted_empty: true };
  // Tabs and line breaks are data; other control characters could manipulate the terminal.
  return escapeCsvFormulas(text).replace(/[^\t\r\n]+|\r(?!\n)/g, (part) => escapeForTerminal(part));
}

function listCell(value: object): ReturnType<typeof csvCell> {
  return csvCell(JSON.stringify(value));
}

async function* csvList({ columns, pages }: RowList, header: boolean): AsyncGenerator<string> {
  if (header) yield formatCsvLines([columns]);
  for await (const rows of pages) yield formatCsvLines(rows.map((row) => columns.map((column) => row[column])));
}
