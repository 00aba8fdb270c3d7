/** Text that a spreadsheet would run as a formula, behind any apostrophes. Phone numbers and negative numbers are none. */
const FORMULA = /^'*(?:[=@\t\r]|[+-](?!\d+$))/;

/**
 * Guards a cell of a CSV file against spreadsheets, which run text that begins like a formula: such text gets an
 * apostrophe. Visitors and callers can choose such texts.
 */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Returns the text that `guardFormula` guarded. */
export function unguardFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
