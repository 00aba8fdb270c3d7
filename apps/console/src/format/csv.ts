/**
 * Formats rows as CSV (RFC 4180). A spreadsheet would run a cell that begins like a formula, and the texts come from visitors, so
 * such a cell gets an apostrophe.
 */
export function csvLines(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: string | number | undefined): string {
  const text = String(value ?? "");
  const isFormula = typeof value === "string" && /^[=@\t\r]|^[+-](?!\d+$)/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
