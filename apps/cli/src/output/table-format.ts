import type { OutputFormat, RowList } from "./output-format.js";
import type { OutputRow } from "./output-row.js";
import { formatCell } from "./table-cell.js";
import { COLUMN_GAP, layOutTable, type TableColumn } from "./table-layout.js";
import { chooseTextWidthMeasure, type TextWidthMeasure, truncateText } from "./text-width.js";

export interface TableDisplay {
  /** Whether lists start with a header. */
  readonly header: boolean;
  /** The terminal's width in columns; undefined if stdout is not a terminal, so that nothing is truncated. */
  readonly width?: number | undefined;
  /** Adds a terminal style to a heading. Default: the heading stays unstyled. */
  readonly heading?: (text: string) => string;
  /** Styles a cell; the text is padded to the column's width. */
  readonly cell?: (column: string, text: string) => string;
  /** Called with the omitted columns, if any. */
  readonly onHidden: (columns: readonly string[]) => void;
}

/** Creates a format with aligned columns. A list has one row per line, and a single resource has one field per line. */
export function createTableFormat(display: TableDisplay): OutputFormat {
  return {
    one: (row) => fieldLines(row, display),
    list: (list) => tableLines(list, display),
  };
}

function fieldLines(row: OutputRow, { heading = same, cell = sameCell }: TableDisplay): string {
  const names = Object.keys(row);
  const width = Math.max(...names.map((name) => name.length));
  return names
    .map((name) => `${heading(name.padEnd(width))}${COLUMN_GAP}${cell(name, formatCell(name, row[name]))}\n`)
    .join("");
}

async function* tableLines(list: RowList, display: TableDisplay): AsyncGenerator<string> {
  const { columns, expendable } = list;
  const { heading = same, cell = sameCell } = display;
  const names = { texts: new Map(columns.map((name) => [name, name])), numbers: new Set<string>() };
  let natural = columns.map((name): TableColumn => ({ name, width: name.length }));
  let isStart = true;
  for await (const lines of linePages(list)) {
    const measure = await chooseTextWidthMeasure(lines.flatMap(({ texts }) => [...texts.values()]));
    // In an endless list, the columns widen when a longer text arrives.
    natural = natural.map(({ name, width }) => ({ name, width: Math.max(width, naturalWidth(name, lines, measure)) }));
    const shown = layOutTable(natural, expendable, display.width);
    if (isStart && display.header) yield `${heading(lineText(shown, names, measure))}\n`;
    for (const line of lines) yield `${lineText(shown, line, measure, cell)}\n`;
    const hidden = columns.filter((name) => !shown.some((it) => it.name === name));
    if (isStart && hidden.length > 0) display.onHidden(hidden);
    isStart = false;
  }
}

/** Yields the lines page by page for an endless list; otherwise all at once, because the width of a column depends on all rows. */
async function* linePages({ columns, pages, isEndless }: RowList): AsyncGenerator<readonly TableLine[]> {
  const all: TableLine[] = [];
  for await (const page of pages) {
    const lines = page.map((row) => tableLine(columns, row));
    if (isEndless) yield lines;
    else all.push(...lines);
  }
  if (!isEndless) yield all;
}

/** The formatted cells of a row, keyed by column. */
interface TableLine {
  readonly texts: ReadonlyMap<string, string>;
  /** The columns that contain a number. */
  readonly numbers: ReadonlySet<string>;
}

function tableLine(columns: readonly string[], row: OutputRow): TableLine {
  return {
    texts: new Map(columns.map((name) => [name, formatCell(name, row[name])])),
    numbers: new Set(columns.filter((name) => typeof row[name] === "number")),
  };
}

function naturalWidth(name: string, lines: readonly TableLine[], measure: TextWidthMeasure): number {
  return lines.reduce((width, { texts }) => Math.max(width, measure(texts.get(name) ?? "")), 0);
}

function lineText(
  shown: readonly TableColumn[],
  { texts, numbers }: TableLine,
  measure: TextWidthMeasure,
  cell = sameCell,
): string {
  const cells = shown.map(({ name, width }, index) => {
    const text = truncateText(texts.get(name) ?? "", width, measure);
    const blanks = " ".repeat(Math.max(0, width - measure(text)));
    const end = index === shown.length - 1 ? "" : blanks;
    return cell(name, numbers.has(name) ? blanks + text : text + end);
  });
  return cells.join(COLUMN_GAP).trimEnd();
}

function same(text: string): string {
  return text;
}

function sameCell(_column: string, text: string): string {
  return text;
}
