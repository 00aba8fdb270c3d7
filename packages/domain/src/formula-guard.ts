/** The first character of a formula in a spreadsheet, but not the sign of a phone number or a negative number. */
const SIGN = String.raw`[=@＝＠]|[+＋－-](?!\d+$)`;

/** Characters before a formula that some spreadsheets ignore, because they are not visible. */
const SPACE = String.raw`['\s\p{C}]`;

/** Matches the start of a formula: at the start of a cell, and after semicolons, tabs and line breaks, where some spreadsheets split cells. */
const start = (guard: string) =>
  new RegExp(
    String.raw`^${guard}(?=${SPACE}*(?:[\t\r\n]|${SIGN}))|(?<=[;\t\r\n])${guard}(?=(?:(?![\t\r\n])${SPACE})*(?:${SIGN}))`,
    "gu",
  );

const UNGUARDED = start("");
const GUARDED = start("'");

/**
 * Puts an apostrophe before texts in a cell of a CSV file that a spreadsheet would execute as a formula. Visitors and callers can choose
 * such texts.
 */
export function guardFormula(text: string): string {
  return text.replace(UNGUARDED, "'");
}

/** Reverses `guardFormula`. */
export function unguardFormula(cell: string): string {
  return cell.replace(GUARDED, "");
}
