import type { RowFields } from "../import/import-row.js";
import { comparableName, comparableWord } from "../text/comparable-name.js";
import { isNoId, isNoValue } from "../text/no-value.js";
import type { Columns, RowCondition } from "./call-log-format.js";

/** The cells of a row, by the comparable name of their column. */
export type Cells = ReadonlyMap<string, string>;

/** The spellings that make a spreadsheet read a cell as text: `="…"` and `'…`. */
const TEXT_FORMULA = /^="(.*)"$|^'/s;

export function cellsOf(fields: RowFields): Cells {
  return new Map(
    Object.entries(fields).map(([name, text]) => [
      comparableName(name),
      String(text).trim().replace(TEXT_FORMULA, "$1"),
    ]),
  );
}

/** Returns, for each alternative, the comparable names of the columns that it joins. */
export function columnNames(columns: Columns | undefined): readonly (readonly string[])[] {
  return [columns ?? []].flat().map((each) => each.split(" + ").map(comparableName));
}

/** Returns the text of the first filled column, or an empty string. */
export function cellOf(cells: Cells, columns: Columns | undefined): string {
  return textsOf(cells, columns).find((text) => text !== "") ?? "";
}

/** Returns the id in the first column that has one, or an empty string. Words such as `NULL` are not ids. */
export function idOf(cells: Cells, columns: Columns | undefined): string {
  return textsOf(cells, columns, "-").find((text) => !isNoId(text)) ?? "";
}

/** Returns the text of each alternative. */
function textsOf(cells: Cells, columns: Columns | undefined, separator = " "): readonly string[] {
  const textOf = (names: readonly string[]) => names.map((name) => cells.get(name) ?? "").join(separator);
  return columnNames(columns).map((names) => textOf(names).trim());
}

export function meetsCondition({ column, values }: RowCondition, cells: Cells): boolean {
  const text = cells.get(comparableName(column)) ?? "";
  return values === undefined
    ? !isNoValue(text)
    : values.some((value) => comparableWord(value) === comparableWord(text));
}
