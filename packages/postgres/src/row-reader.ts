import pg from "pg";

/** Reads the value between two positions in the bytes. */
type ValueReader = (bytes: Buffer, start: number, end: number) => unknown;

/** The types of columns that a program can read from the bytes of a row: see `StoredRow`. */
export type ColumnType = "boolean" | "double" | "integer" | "text" | "time";

/** The columns of a result, and how to read their values. */
export interface Columns {
  readonly names: readonly string[];
  /** The types of the columns; undefined for every other type. */
  readonly types: readonly (ColumnType | undefined)[];
  /** Readers for rows whose values are all text. */
  readonly textReaders: readonly ValueReader[];
  /** Readers for rows in the requested formats. */
  readonly readers: readonly ValueReader[];
  /** The formats as Bind sends them: their number, then each in two bytes. */
  readonly formats: Buffer;
  /** A row of nulls, because copying it is faster than adding properties one by one. */
  readonly empty: Readonly<Record<string, unknown>>;
}

/** The formats in a Bind that request all values as text. */
export const ALL_TEXT_FORMATS = Buffer.alloc(2);

/** Bytes between the end of a column's name and its type: the terminator, the table and the column number. */
const TYPE_OFFSET = 1 + 4 + 2;
/** Bytes of a column's description after its name. */
const DESCRIPTION_LENGTH = 1 + 4 + 2 + 4 + 2 + 4 + 2;

/** 2000-01-01, the epoch of PostgreSQL's timestamps. */
const POSTGRES_EPOCH_MS = 946_684_800_000;

const { BOOL, FLOAT8, INT4, TIMESTAMPTZ, TEXT, UUID } = pg.types.builtins;

/** Types that are read in binary form, because both sides process it faster than text. */
const BINARY_READERS: ReadonlyMap<number, ValueReader> = new Map<number, ValueReader>([
  [BOOL, (bytes, start) => bytes[start] === 1],
  [INT4, (bytes, start) => bytes.readInt32BE(start)],
  [FLOAT8, (bytes, start) => bytes.readDoubleBE(start)],
  [TIMESTAMPTZ, readTimestamp],
]);

/** Types whose value is their text. */
const TEXT_READERS: ReadonlyMap<number, ValueReader> = new Map<number, ValueReader>([
  [TEXT, (bytes, start, end) => bytes.toString("utf8", start, end)],
  [UUID, (bytes, start, end) => bytes.toString("latin1", start, end)],
]);

const COLUMN_TYPES: ReadonlyMap<number, ColumnType> = new Map<number, ColumnType>([
  [BOOL, "boolean"],
  [FLOAT8, "double"],
  [INT4, "integer"],
  [TEXT, "text"],
  [TIMESTAMPTZ, "time"],
  [UUID, "text"],
]);

/** Reads the columns of a RowDescription. Values have the same JavaScript types as in `pg`. */
export function readColumns(bytes: Buffer, start: number): Columns {
  const names: string[] = [];
  const types: number[] = [];
  let place = start + 2;
  for (let column = bytes.readInt16BE(start); column > 0; column--) {
    const end = bytes.indexOf(0, place);
    names.push(bytes.toString("utf8", place, end));
    types.push(bytes.readInt32BE(end + TYPE_OFFSET));
    place = end + DESCRIPTION_LENGTH;
  }
  const textReaders = types.map((type) => TEXT_READERS.get(type) ?? createTextReader(type));
  return {
    names,
    types: types.map((type) => COLUMN_TYPES.get(type)),
    textReaders,
    readers: types.map((type, column) => BINARY_READERS.get(type) ?? (textReaders[column] as ValueReader)),
    formats: formatsOf(types),
    empty: Object.fromEntries(names.map((name) => [name, null])),
  };
}

/** Reads a row from a DataRow. The last of several columns with the same name wins. */
export function readRow(
  { names, empty }: Columns,
  readers: readonly ValueReader[],
  bytes: Buffer,
  start: number,
): object {
  const row = { ...empty };
  let place = start + 2;
  for (let column = 0; column < readers.length; column++) {
    const length = bytes.readInt32BE(place);
    place += 4;
    if (length < 0) {
      row[names[column] as string] = null;
    } else {
      row[names[column] as string] = (readers[column] as ValueReader)(bytes, place, place + length);
      place += length;
    }
  }
  return row;
}

function formatsOf(types: readonly number[]): Buffer {
  const formats = Buffer.alloc(2 + types.length * 2);
  formats.writeInt16BE(types.length);
  types.forEach((type, column) => {
    formats.writeInt16BE(BINARY_READERS.has(type) ? 1 : 0, 2 + column * 2);
  });
  return formats;
}

function createTextReader(type: number): ValueReader {
  const parse = pg.types.getTypeParser(type, "text");
  return (bytes, start, end) => parse(bytes.toString("utf8", start, end));
}

/** Reads a time. The infinities are numbers, as in `pg`. */
function readTimestamp(bytes: Buffer, start: number): Date | number {
  const ms = readTimeMs(bytes, start);
  return Number.isFinite(ms) ? new Date(ms) : ms;
}

/**
 * Reads a 64-bit number of microseconds since 2000 as milliseconds since 1970, rounded down. Its minimum and maximum are the infinities.
 */
export function readTimeMs(bytes: Buffer, start: number): number {
  const high = bytes.readInt32BE(start);
  if (high === 0x7fffffff) return Number.POSITIVE_INFINITY;
  if (high === -0x80000000) return Number.NEGATIVE_INFINITY;
  const microseconds = high * 2 ** 32 + bytes.readUInt32BE(start + 4);
  return Math.floor(microseconds / 1000) + POSTGRES_EPOCH_MS;
}
