import type { Row } from "../resource-row.js";
import type { OutputFormat, RowList } from "./output-format.js";
import { cellText } from "./table-cell.js";
import { GAP, layOutTable, type TableColumn } from "./table-layout.js";
import { chooseMeasure, fitText, type MeasureText } from "./text-width.js";

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
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${heading(name.padEnd(width))}${GAP}${cellText(name, row[name])}\n`).join("");
}

async function* tableLines({ columns, expendable, pages }: RowList, surface: TableSurface): AsyncGenerator<string> {
  const lines: TableLine[] = [];
  for await (const page of pages) lines.push(...page.map((row) => tableLine(columns, row)));
  const measure = await chooseMeasure(lines.flatMap(({ texts }) => [...texts.values()]));
  const natural = columns.map((name) => ({ name, width: naturalWidth(name, lines, measure) }));
  const shown = layOutTable(natural, expendable, surface.width);
  const heading = { texts: new Map(columns.map((name) => [name, name])), numbers: new Set<string>() };
  yield `${surface.heading(lineText(shown, heading, measure))}\n`;
  for (const line of lines) yield `${lineText(shown, line, measure)}\n`;
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

function lineText(shown: readonly TableColumn[], { texts, numbers }: TableLine, measure: MeasureText): string {
  const cells = shown.map(({ name, width }) => {
    const text = fitText(texts.get(name) ?? "", width, measure);
    const blanks = " ".repeat(Math.max(0, width - measure(text)));
    return numbers.has(name) ? blanks + text : text + blanks;
  });
  return cells.join(GAP).trimEnd();
}
