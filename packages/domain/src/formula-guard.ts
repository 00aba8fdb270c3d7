/** Text that a spreadsheet would run, behind any apostrophes and spaces. Phone numbers and negative numbers are none. */
const FORMULA = String.raw`['\s]*(?:[=@＝＠\t\r\n]|[+＋－-](?!\d+$))`;

/** The starts of cells. Some spreadsheets split every file at semicolons. */
const UNGUARDED = new RegExp(`(^|;)(?=${FORMULA})`, "g");
const GUARDED = new RegExp(`(^|;)'(?=${FORMULA})`, "g");

/**
 * Guards a cell of a CSV file against spreadsheets, which run text that begins like a formula: such text gets an
 * apostrophe. Visitors and callers can choose such texts.
 */
export function guardFormula(text: string): string {
  return text.replace(UNGUARDED, "$1'");
}

/** Returns the text that `guardFormula` guarded. */
export function unguardFormula(cell: string): string {
  return cell.replace(GUARDED, "$1");
}
