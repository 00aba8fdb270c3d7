import type { Row } from "../resource-row.js";
import type { OutputFormat, RowList } from "./output-format.js";
import { cellText } from "./table-cell.js";
import { GAP, layOutTable, type TableColumn } from "./table-layout.js";
import { chooseMeasure, fitText, type MeasureText } from "./text-width.js";

/** Where and how a table is shown. */
export interface TableSurface {
  /** Whether a list begins with the names of its columns. */
  readonly header: boolean;
  /** Its width in columns; undefined where there is no terminal, and nothing is cut. */
  readonly width?: number;
  /** Makes a heading stand out. */
  readonly heading?: (text: string) => string;
  /** Makes the cell of a column stand out, if it is to; the text has its blanks. */
  readonly cell?: (column: string, text: string) => string;
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

function fieldLines(row: Row, { heading = same, cell = sameCell }: TableSurface): string {
  const names = Object.keys(row);
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${heading(name.padEnd(width))}${GAP}${cell(name, cellText(name, row[name]))}\n`).join("");
}

async function* tableLines({ columns, expendable, pages }: RowList, surface: TableSurface): AsyncGenerator<string> {
  const lines: TableLine[] = [];
  for await (const page of pages) lines.push(...page.map((row) => tableLine(columns, row)));
  const measure = await chooseMeasure(lines.flatMap(({ texts }) => [...texts.values()]));
  const natural = columns.map((name) => ({ name, width: naturalWidth(name, lines, measure) }));
  const shown = layOutTable(natural, expendable, surface.width);
  const { heading = same, cell = sameCell } = surface;
  const names = { texts: new Map(columns.map((name) => [name, name])), numbers: new Set<string>() };
  if (surface.header) yield `${heading(lineText(shown, names, measure))}\n`;
  for (const line of lines) yield `${lineText(shown, line, measure, cell)}\n`;
  if (shown.length < columns.length) surface.onHidden(columns.filter((name) => !shown.some((it) => it.name === name)));
}

/** A row as a person reads it, by column. */
interface TableLine {
  readonly texts: ReadonlyMap<string, string>;
  /** The columns in which it has a number. */
  readonly numbers: ReadonlySet<string>;
}

function tableLine(columns: readonly string[], row: Row): TableLine {
  return {
    texts: new Map(columns.map((name) => [name, cellText(name, row[name])])),
    numbers: new Set(columns.filter((name) => typeof row[name] === "number")),
  };
}

function naturalWidth(name: string, lines: readonly TableLine[], measure: MeasureText): number {
  return lines.reduce((width, { texts }) => Math.max(width, measure(texts.get(name) ?? "")), name.length);
}

function lineText(
  shown: readonly TableColumn[],
  { texts, numbers }: TableLine,
  measure: MeasureText,
  cell = sameCell,
): string {
  const cells = shown.map(({ name, width }, index) => {
    const text = fitText(texts.get(name) ?? "", width, measure);
    const blanks = " ".repeat(Math.max(0, width - measure(text)));
    const end = index === shown.length - 1 ? "" : blanks;
    return cell(name, numbers.has(name) ? blanks + text : text + end);
  });
  return cells.join(GAP).trimEnd();
}

function same(text: string): string {
  return text;
}

function sameCell(_column: string, text: string): string {
  return text;
}
