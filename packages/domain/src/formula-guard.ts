/** Matches the first character of a spreadsheet formula, but not the sign of a phone number or of a negative number. */
const SIGN = String.raw`[=@＝＠]|[+＋－-](?!\d+$)`;

/** Matches a character that some spreadsheets ignore before a formula: an apostrophe, white space or an invisible character. */
const SPACE = String.raw`['\s\p{C}]`;

/** Matches where a formula can begin: at the start of a cell, and after semicolons, tabs and line breaks, where some spreadsheets split cells. */
const start = (guard: string) =>
  new RegExp(
    String.raw`^${guard}(?=${SPACE}*(?:[\t\r\n]|${SIGN}))|(?<=[;\t\r\n])${guard}(?=(?:(?![\t\r\n])${SPACE})*(?:${SIGN}))`,
    "gu",
  );

const UNGUARDED = start("");
const GUARDED = start("'");

/**
 * Puts an apostrophe before each part of a CSV cell that a spreadsheet would execute as a formula. Visitors and callers can send texts with formulas.
 */
export function escapeCsvFormulas(text: string): string {
  return text.replace(UNGUARDED, "'");
}

/** Removes the apostrophes that `escapeCsvFormulas` puts before formulas. */
export function unescapeCsvFormulas(cell: string): string {
  return cell.replace(GUARDED, "");
}
