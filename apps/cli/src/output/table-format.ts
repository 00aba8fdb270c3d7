import type { Row } from "../resource-row.js";
import type { OutputFormat, RowList } from "./output-format.js";
import { cellText, fitText, textWidth } from "./table-cell.js";
import { GAP, layOutTable, type TableColumn } from "./table-layout.js";

/** Where a table is shown. */
export interface TableSurface {
  /** Its width in columns; undefined where there is no terminal, and nothing is cut. */
  readonly width: number | undefined;
  /** Makes a heading stand out, or returns it as it is. */
  readonly heading: (text: string) => string;
  /** Told the columns that had to be left out, if any. */
  readonly onHidden: (columns: readonly string[]) => void;
}

/** Aligned columns for a person: a list has one row a line, a single resource one field a line. */
export function createTableFormat(surface: TableSurface): OutputFormat {
  return {
    one: (row) => fieldLines(row, surface),
    list: (list) => tableLines(list, surface),
  };
}

function fieldLines(row: Row, { heading }: TableSurface): string {
  const names = Object.keys(row);
  const width = Math.max(...names.map(textWidth));
  return names.map((name) => `${heading(name.padEnd(width))}${GAP}${cellText(name, row[name])}\n`).join("");
}

async function* tableLines({ columns, expendable, pages }: RowList, surface: TableSurface): AsyncGenerator<string> {
  const rows: Row[] = [];
  for await (const page of pages) rows.push(...page);
  const natural = columns.map((name) => ({ name, width: naturalWidth(name, rows) }));
  const shown = layOutTable(natural, expendable, surface.width);
  yield `${surface.heading(line(shown, (name) => name))}\n`;
  for (const row of rows) yield `${line(shown, (name) => cellText(name, row[name]), row)}\n`;
  if (shown.length < columns.length) surface.onHidden(columns.filter((name) => !shown.some((it) => it.name === name)));
}

function naturalWidth(name: string, rows: readonly Row[]): number {
  return rows.reduce((width, row) => Math.max(width, textWidth(cellText(name, row[name]))), name.length);
}

function line(shown: readonly TableColumn[], textOf: (name: string) => string, row?: Row): string {
  const cells = shown.map(({ name, width }) =>
    align(fitText(textOf(name), width), width, typeof row?.[name] === "number"),
  );
  return cells.join(GAP).trimEnd();
}

function align(text: string, width: number, right: boolean): string {
  const blanks = " ".repeat(Math.max(0, width - textWidth(text)));
  return right ? blanks + text : text + blanks;
}
