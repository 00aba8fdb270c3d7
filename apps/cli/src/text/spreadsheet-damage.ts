const REMEDY = "format the column as text, and enter or export the value again";

/** Describes how a spreadsheet damaged a number or an id, such as `4.93E+11` or `#ERROR!`; undefined for other text. */
export function describeSpreadsheetDamage(text: string): string | undefined {
  if (/^\d+(?:[.,]\d+)?e\+\d+$/i.test(text)) return `lost digits in a spreadsheet: ${REMEDY}`;
  return /^#.*[!?#]$|^err:\d+$/i.test(text) ? `is a spreadsheet error: ${REMEDY}` : undefined;
}
