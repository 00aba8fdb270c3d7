import { guardFormula } from "@calltrack/domain/formula-guard";

/** Undefined for an empty cell. */
type CsvCell = string | number | bigint | undefined;

/** Formats rows as CSV (RFC 4180). Texts come from visitors, so those that spreadsheets would run as formulas are made harmless. */
export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: CsvCell): string {
  const safe = typeof value === "string" ? guardFormula(value) : String(value ?? "");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
