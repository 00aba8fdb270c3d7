import { Readable } from "node:stream";
import { unescapeCsvFormulas } from "@calltrack/domain/formula-guard";
import { CsvError, type Info, type InfoRecord, parse } from "csv-parse";
import { parse as parseText } from "csv-parse/sync";
import { formatCsvLines } from "../output/csv-format.js";
import { UsageError } from "../process/usage-error.js";
import { parseFieldText } from "./field-value.js";
import { describeUnknownColumns, findImportColumnName, getReasonColumn, type RowColumns } from "./import-columns.js";
import { type ImportRow, MAX_ROW_LENGTH, type RowContent, type RowFile } from "./import-row.js";
import { readRowContent } from "./row-content.js";

interface CsvRecord {
  readonly record: string[];
  readonly line: number;
  readonly endByte: number;
}

const parserOptions = {
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  max_record_size: MAX_ROW_LENGTH,
};

/** Spreadsheets separate cells by semicolons in countries where the comma is the decimal separator. */
const DELIMITERS = [",", ";", "\t"] as const;

/** The first row with a filled cell. Quoted cells may contain line breaks. */
const FIRST_ROW = /^(?:[\s,;]|"")*((?:"[^"]+"|[^"\s,;])(?:"[^"]*"|[^"\r\n])*)[\r\n]/;

/** A first line that tells Excel the delimiter, such as `sep=;`. The pattern excludes the line break, so that line numbers stay correct. */
const DELIMITER_LINE = /^"?sep=."?(?=[\r\n])/i;

/**
 * Opens a CSV file whose first line names its columns. Cells are separated by commas, semicolons or tabs. Empty cells, and cells missing at
 * the end of a row, are absent values. Blank rows and empty columns at the end are skipped. Quotes inside an unquoted cell are literal.
 *
 * @throws UsageError if the header is missing, or has an unknown or duplicate column.
 */
export async function openCsvFile(text: AsyncIterable<string>, columns: RowColumns): Promise<RowFile> {
  const { firstRow, whole } = await peekFirstRow(text);
  const records = readRecords(whole, findDelimiter(firstRow, columns));
  if (/^[[{]/.test(firstRow))
    throw new UsageError("the file is JSON: write one object per line, and give the file the extension .jsonl");
  const first = await records.next();
  if (first.done) throw new UsageError(`the file is empty: its first line must name the columns${namesText(columns)}`);
  const { header, hasData } = readHeader(first.value.record, columns);
  const reason = getReasonColumn(columns);
  return {
    rejectsHeader: formatRejectLine([reason, ...header.filter((name) => name !== reason)]),
    rows: toRows(hasData ? withFirst(first.value, records) : records, header, columns),
  };
}

/** Returns the whole text, and its first row. If no row ends within {@link MAX_ROW_LENGTH}, `firstRow` is the beginning of the text. */
async function peekFirstRow(text: AsyncIterable<string>): Promise<{ firstRow: string; whole: AsyncIterable<string> }> {
  const chunks = text[Symbol.asyncIterator]();
  let head = "";
  let row: string | undefined;
  while (row === undefined && head.length < MAX_ROW_LENGTH) {
    const { done, value } = await chunks.next();
    if (done) break;
    head += value;
    head = head.replace(DELIMITER_LINE, "");
    row = FIRST_ROW.exec(head)?.[1];
  }
  return { firstRow: row ?? head, whole: withFirst(head, { [Symbol.asyncIterator]: () => chunks }) };
}

/** Returns the first delimiter that splits the first row into valid columns or, if none does, the one that yields the most cells. */
function findDelimiter(firstRow: string, columns: RowColumns): string {
  const candidates = DELIMITERS.map((delimiter) => ({ delimiter, names: splitRow(firstRow, delimiter) }));
  const valid = candidates.find(({ names }) => isHeader(names, columns));
  return (valid ?? candidates.reduce((best, other) => (other.names.length > best.names.length ? other : best)))
    .delimiter;
}

function splitRow(row: string, delimiter: string): string[] {
  try {
    return parseText(row, { ...parserOptions, delimiter })[0] ?? [];
  } catch {
    return [];
  }
}

function isHeader(names: readonly string[], columns: RowColumns): boolean {
  try {
    readHeader(names, columns);
    return true;
  } catch {
    return false;
  }
}

/** Returns the names of the columns, and whether the first row contains data instead of names. */
function readHeader(first: readonly string[], columns: RowColumns): { header: readonly string[]; hasData: boolean } {
  const names = first.map((name) => name.trim());
  const isKnown = !("chooseHeader" in columns);
  const all = isKnown ? names.map((name) => findImportColumnName(columns, name)) : columns.chooseHeader(names);
  const header = all.slice(0, all.findLastIndex((name) => name !== "") + 1);
  checkHeader(header, columns);
  return { header, hasData: !isKnown && all !== names };
}

function namesText(columns: RowColumns): string {
  return "chooseHeader" in columns ? "" : ` (${[...columns.keys()].join(", ")})`;
}

async function* withFirst<Item>(first: Item, rest: AsyncIterable<Item>): AsyncGenerator<Item> {
  yield first;
  yield* rest;
}

async function* readRecords(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  let lastLine = 0;
  const onRecord = (record: string[], { lines }: InfoRecord): string[] => {
    lastLine = lines;
    return record;
  };
  const source = Readable.from(text);
  const parser = source.pipe(parse({ ...parserOptions, info: true, raw: true, delimiter, on_record: onRecord }));
  source.on("error", (error) => parser.destroy(error));
  try {
    // The parser counts two lines for each CRLF inside quotes.
    let doubled = 0;
    for await (const { record, raw, info } of parser as AsyncIterable<{ record: string[]; raw: string; info: Info }>) {
      doubled += countMatches(record, /\r\n/g);
      const line = info.lines - doubled - countMatches(record, /\r\n|\r|\n/g);
      if (record.some((cell) => hasJoinedRows(cell, raw))) throw unclosedQuoteError(line - 1);
      yield { record, line, endByte: info.bytes };
    }
  } catch (error) {
    throw error instanceof CsvError ? unclosedQuoteError(lastLine, error) : error;
  } finally {
    source.destroy();
  }
}

/**
 * Reports whether a cell contains the following rows because its quote is not closed. The parser returns such a cell as literal text, with its
 * quotes. A cell that is quoted correctly can have the same text, but its quotes are doubled in the file.
 *
 * @param raw the row as it is in the file.
 */
function hasJoinedRows(cell: string, raw: string): boolean {
  return /^".*[\r\n]/s.test(cell) && !raw.includes(`"${cell.replaceAll('"', '""')}"`);
}

function unclosedQuoteError(lastLine: number, cause?: CsvError): UsageError {
  return new UsageError(`cannot read rows after line ${lastLine}: check for an unclosed quote`, { cause });
}

function checkHeader(header: readonly string[], columns: RowColumns): void {
  const unnamed = header.indexOf("");
  if (unnamed >= 0) throw new UsageError(`column ${unnamed + 1} has no name: give the column a name, or delete it`);
  const unknown = "chooseHeader" in columns ? undefined : describeUnknownColumns(columns, header);
  if (unknown !== undefined) throw new UsageError(unknown);
  const names = new Set<string>();
  const duplicate = header.find((name) => names.size === names.add(name).size);
  if (duplicate !== undefined)
    throw new UsageError(`duplicate column ${JSON.stringify(duplicate)}: delete or rename one of them`);
}

async function* toRows(
  records: AsyncIterable<CsvRecord>,
  header: readonly string[],
  columns: RowColumns,
): AsyncGenerator<ImportRow> {
  const reasonIndex = header.indexOf(getReasonColumn(columns));
  for await (const { record: cells, line, endByte } of records) {
    const width = Math.max(header.length, cells.findLastIndex((cell) => cell.trim() !== "") + 1);
    const record = cells.slice(0, width).map(unescapeCsvFormulas);
    yield {
      line,
      endByte,
      content: contentOf(record, header, columns),
      toReject: (reason) => formatRejectLine([reason, ...withoutColumn(record, reasonIndex)]),
    };
  }
}

/** Formats a line of the rejects file. Keeps control characters, because an import of the corrected file must read the same cells. */
function formatRejectLine(cells: readonly (string | undefined)[]): string {
  return formatCsvLines([cells], (text) => text);
}

function contentOf(record: readonly string[], header: readonly string[], columns: RowColumns): RowContent {
  // A shorter row is valid: Excel omits empty cells at the end.
  if (record.length > header.length) {
    return { kind: "unreadable", reason: `expected ${header.length} cells, found ${record.length}` };
  }
  if ("chooseHeader" in columns)
    return { kind: "fields", fields: Object.fromEntries(header.map((name, index) => [name, record[index] ?? ""])) };
  return readRowContent(columns, (name) => record[header.indexOf(name)]?.trim() || undefined, parseFieldText);
}

/** Removes the cell at `index`. Empty cells become absent, so that they are written without quotes. */
function withoutColumn(record: readonly string[], index: number): (string | undefined)[] {
  return record.filter((_, at) => at !== index).map((cell) => cell || undefined);
}

function countMatches(record: readonly string[], pattern: RegExp): number {
  return record.reduce((count, cell) => count + (cell.match(pattern)?.length ?? 0), 0);
}
