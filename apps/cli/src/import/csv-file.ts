import { Readable } from "node:stream";
import { unguardFormula } from "@calltrack/domain/formula-guard";
import { CsvError, type Info, type InfoRecord, parse } from "csv-parse";
import { csvLines } from "../output/csv-format.js";
import { UsageError } from "../process/usage-error.js";
import { fieldFromText } from "./field-value.js";
import { type ImportColumns, unknownColumnsText } from "./import-columns.js";
import { type ImportRow, REASON_COLUMN, type RowContent, type RowFile } from "./import-row.js";
import { readRowContent } from "./row-content.js";

interface CsvRecord {
  readonly record: string[];
  readonly info: Info;
}

const parserOptions = {
  info: true,
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  // A longer record has a quote that is never closed.
  max_record_size: 1 << 20,
};

/**
 * Opens a CSV file whose first line names its columns. Empty cells are absent values. Quotes inside an unquoted cell
 * are literal.
 *
 * @throws UsageError if the header is missing, or has an unknown or duplicate column.
 */
export async function openCsvFile(text: AsyncIterable<string>, columns: ImportColumns): Promise<RowFile> {
  const records = readRecords(text);
  const first = await records.next();
  if (first.done)
    throw new UsageError(`the file is empty: its first line must name the columns (${[...columns.keys()].join(", ")})`);
  const header = first.value.record.map((name) => name.trim());
  checkHeader(header, columns);
  return {
    rejectsHeader: csvLines([[REASON_COLUMN, ...header.filter((name) => name !== REASON_COLUMN)]]),
    rows: toRows(records, header, columns),
  };
}

async function* readRecords(text: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let lastLine = 0;
  const onRecord = (record: string[], { lines }: InfoRecord): string[] => {
    lastLine = lines;
    return record;
  };
  const source = Readable.from(text);
  const parser = source.pipe(parse({ ...parserOptions, on_record: onRecord }));
  source.on("error", (error) => parser.destroy(error));
  try {
    yield* parser as AsyncIterable<CsvRecord>;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const text = `cannot read rows after line ${lastLine}: check for an unclosed quote`;
    throw new UsageError(text, { cause: error });
  } finally {
    source.destroy();
  }
}

function checkHeader(header: readonly string[], columns: ImportColumns): void {
  const unknown = unknownColumnsText(columns, header);
  if (unknown !== undefined) throw new UsageError(unknown);
  const duplicate = header.find((name, index) => header.indexOf(name) !== index);
  if (duplicate !== undefined) throw new UsageError(`duplicate column ${JSON.stringify(duplicate)}`);
}

async function* toRows(
  records: AsyncIterable<CsvRecord>,
  header: readonly string[],
  columns: ImportColumns,
): AsyncGenerator<ImportRow> {
  const reasonIndex = header.indexOf(REASON_COLUMN);
  for await (const { record: cells, info } of records) {
    const record = cells.map(unguardFormula);
    yield {
      line: info.lines - countLineBreaks(record),
      endByte: info.bytes,
      content: contentOf(record, header, columns),
      toReject: (reason) => csvLines([[reason, ...withoutColumn(record, reasonIndex)]]),
    };
  }
}

function contentOf(record: readonly string[], header: readonly string[], columns: ImportColumns): RowContent {
  if (record.length !== header.length) {
    return { kind: "unreadable", reason: `expected ${header.length} cells, found ${record.length}` };
  }
  return readRowContent(columns, (name) => record[header.indexOf(name)] || undefined, fieldFromText);
}

/**
 * Returns the cells of a row without one column. Empty cells become absent, so that they are written as they were read.
 */
function withoutColumn(record: readonly string[], index: number): (string | undefined)[] {
  return record.filter((_, at) => at !== index).map((cell) => cell || undefined);
}

function countLineBreaks(record: readonly string[]): number {
  return record.reduce((count, cell) => count + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
}
