import type { RowFields } from "../import/import-row.js";
import { standsForNoId, standsForNoValue } from "../text/no-value.js";
import { normalizeColumnName, normalizeWord } from "../text/normalize-word.js";
import type { ColumnAlternatives, RowCondition } from "./call-log-format.js";

/** The cells of a row, keyed by the column name that {@link normalizeColumnName} returns. */
export type CallLogRowCells = ReadonlyMap<string, string>;

/** The spellings that make a spreadsheet read a cell as text: `="…"` and `'…`. */
const TEXT_FORMULA = /^="(.*)"$|^'/s;

export function createCallLogRowCells(fields: RowFields): CallLogRowCells {
  return new Map(
    Object.entries(fields).map(([name, text]) => [
      normalizeColumnName(name),
      String(text).trim().replace(TEXT_FORMULA, "$1"),
    ]),
  );
}

/** Splits each alternative, such as `A + B`, into the normalized names of its columns. */
export function splitColumnAlternatives(columns: ColumnAlternatives | undefined): readonly (readonly string[])[] {
  return [columns ?? []].flat().map((each) => each.split(" + ").map(normalizeColumnName));
}

/** Returns the text of the first alternative that is not empty; an empty string if all are empty. */
export function getFirstFilledCell(cells: CallLogRowCells, columns: ColumnAlternatives | undefined): string {
  return textsOf(cells, columns).find((text) => text !== "") ?? "";
}

/** Returns the ids in the columns. Words such as `NULL` are not ids. */
export function getIdCells(cells: CallLogRowCells, columns: ColumnAlternatives | undefined): readonly string[] {
  return textsOf(cells, columns, "-").filter((text) => !standsForNoId(text));
}

function textsOf(cells: CallLogRowCells, columns: ColumnAlternatives | undefined, separator = " "): readonly string[] {
  const textOf = (names: readonly string[]) => names.map((name) => cells.get(name) ?? "").join(separator);
  return splitColumnAlternatives(columns).map((names) => textOf(names).trim());
}

export function meetsRowCondition({ column, values }: RowCondition, cells: CallLogRowCells): boolean {
  const text = cells.get(normalizeColumnName(column)) ?? "";
  return values === undefined
    ? !standsForNoValue(text)
    : values.some((value) => normalizeWord(value) === normalizeWord(text));
}
