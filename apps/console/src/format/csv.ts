import { escapeCsvFormulas } from "@calltrack/domain/formula-guard";

/** The value of a cell; undefined for an empty cell. */
type CsvCell = string | number | bigint | undefined;

/** Formats rows as CSV (RFC 4180). Escapes texts that a spreadsheet would run as formulas, because visitors can choose texts. */
export function formatCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: CsvCell): string {
  const safe = typeof value === "string" ? escapeCsvFormulas(value) : String(value ?? "");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
