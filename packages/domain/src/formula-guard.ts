/** The first sign of text that a spreadsheet would run. Phone numbers and negative numbers are none. */
const SIGN = String.raw`[=@＝＠]|[+＋－-](?!\d+$)`;

/** Some spreadsheets drop characters that are not visible. */
const SPACE = String.raw`['\s\p{C}]`;

/** The start of a cell, and the places where some spreadsheets split a cell: at semicolons, tabs and line breaks. */
const start = (guard: string) =>
  new RegExp(
    String.raw`^${guard}(?=${SPACE}*(?:[\t\r\n]|${SIGN}))|(?<=[;\t\r\n])${guard}(?=(?:(?![\t\r\n])${SPACE})*(?:${SIGN}))`,
    "gu",
  );

const UNGUARDED = start("");
const GUARDED = start("'");

/**
 * Guards a cell of a CSV file against spreadsheets, which run text that begins like a formula: such text gets an
 * apostrophe. Visitors and callers can choose such texts.
 */
export function guardFormula(text: string): string {
  return text.replace(UNGUARDED, "'");
}

/** Returns the text that `guardFormula` guarded. */
export function unguardFormula(cell: string): string {
  return cell.replace(GUARDED, "");
}
