import { UsageError } from "../process/usage-error.js";
import type { RowList } from "./output-format.js";
import type { OutputOptions } from "./output-options.js";
import type { Cell, Row } from "./resource-row.js";

/** Selects the columns and sorts the rows as the user requested. Throws UsageError for an unknown column. */
export function selectRows(list: RowList, known: readonly string[], options: OutputOptions): RowList {
  const { columns, sort } = options;
  const sorted =
    sort === undefined ? list.pages : sortRows(list.pages, requireColumn(sort.replace(/^-/, ""), known), sort);
  if (columns === undefined) return { ...list, pages: sorted };
  for (const column of columns) requireColumn(column, known);
  return { ...list, columns, expendable: [], pages: mapRows(sorted, (row) => pickCells(row, columns)) };
}

/** Selects the requested columns of one result. Throws UsageError for an unknown column. */
export function selectCells(row: Row, { columns }: OutputOptions): Row {
  if (columns === undefined) return row;
  for (const column of columns) requireColumn(column, Object.keys(row));
  return pickCells(row, columns);
}

function requireColumn(column: string, known: readonly string[]): string {
  if (known.includes(column)) return column;
  throw new UsageError(`unknown column ${JSON.stringify(column)}: the columns are ${known.join(", ")}`);
}

function pickCells(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

async function* mapRows(pages: RowList["pages"], map: (row: Row) => Row): AsyncGenerator<Row[]> {
  for await (const rows of pages) yield rows.map(map);
}

async function* sortRows(pages: RowList["pages"], column: string, sort: string): AsyncGenerator<Row[]> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  const direction = sort.startsWith("-") ? -1 : 1;
  yield rows.sort((one, other) => compareCells(one[column], other[column], direction));
}

/** Absent values sort last in both directions. */
function compareCells(one: Cell | undefined, other: Cell | undefined, direction: number): number {
  const [left, right] = [one ?? undefined, other ?? undefined].map((cell) =>
    typeof cell === "object" ? JSON.stringify(cell) : cell,
  );
  if (left === right) return 0;
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  return left < right ? -direction : direction;
}
