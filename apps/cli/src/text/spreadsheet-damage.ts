const REMEDY = "format its column as text, and enter or export it again";

/** Returns what a spreadsheet made of a number or an id: `4.93E+11` or `#ERROR!`. Returns undefined for other text. */
export function spreadsheetDamage(text: string): string | undefined {
  if (/^\d+(?:[.,]\d+)?e\+\d+$/i.test(text)) return `lost digits in a spreadsheet: ${REMEDY}`;
  return /^#.*[!?#]$|^err:\d+$/i.test(text) ? `is an error of a spreadsheet: ${REMEDY}` : undefined;
}
