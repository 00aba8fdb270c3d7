import { UsageError } from "../process/usage-error.js";
import type { RowList } from "./output-format.js";
import type { OutputOptions } from "./output-options.js";
import type { OutputCell, OutputRow } from "./output-row.js";

/** Applies `--sort` and `--columns` to a list. Throws UsageError for an unknown column. */
export function sortRowsAndSelectColumns(list: RowList, known: readonly string[], options: OutputOptions): RowList {
  const { columns, sort } = options;
  const sorted =
    sort === undefined ? list.pages : sortRows(list.pages, requireColumn(sort.replace(/^-/, ""), known), sort);
  if (columns === undefined) return { ...list, pages: sorted };
  for (const column of columns) requireColumn(column, known);
  return { ...list, columns, expendable: [], pages: mapRows(sorted, (row) => pickCells(row, columns)) };
}

/** Applies `--columns` to one result. Throws UsageError for an unknown column. */
export function selectColumns(row: OutputRow, { columns }: OutputOptions): OutputRow {
  if (columns === undefined) return row;
  for (const column of columns) requireColumn(column, Object.keys(row));
  return pickCells(row, columns);
}

function requireColumn(column: string, known: readonly string[]): string {
  if (known.includes(column)) return column;
  throw new UsageError(`unknown column ${JSON.stringify(column)}: the columns are ${known.join(", ")}`);
}

function pickCells(row: OutputRow, columns: readonly string[]): OutputRow {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}

async function* mapRows(pages: RowList["pages"], map: (row: OutputRow) => OutputRow): AsyncGenerator<OutputRow[]> {
  for await (const rows of pages) yield rows.map(map);
}

async function* sortRows(pages: RowList["pages"], column: string, sort: string): AsyncGenerator<OutputRow[]> {
  const rows: OutputRow[] = [];
  for await (const page of pages) rows.push(...page);
  const direction = sort.startsWith("-") ? -1 : 1;
  yield rows.sort((one, other) => compareCells(one[column], other[column], direction));
}

/** Absent values sort last in both directions. */
function compareCells(one: OutputCell | undefined, other: OutputCell | undefined, direction: number): number {
  const [left, right] = [one ?? undefined, other ?? undefined].map((cell) =>
    typeof cell === "object" ? JSON.stringify(cell) : cell,
  );
  if (left === right) return 0;
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
  return left < right ? -direction : direction;
}
