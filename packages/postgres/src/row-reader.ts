import pg from "pg";

/** Reads the value between two positions in the bytes. */
type ValueReader = (bytes: Buffer, start: number, end: number) => unknown;

/** The types of columns that a program can read from the bytes of a row: see `StoredRow`. */
export type ColumnType = "boolean" | "double" | "integer" | "text" | "time";

/** Reads a row from the DataRow at `start` in the bytes. The last of several columns with the same name wins. */
type RowReader = (bytes: Buffer, start: number) => object;

/** The columns of a result, and how to read their values. */
export interface Columns {
  readonly names: readonly string[];
  /** The types of the columns; undefined for every other type. */
  readonly types: readonly (ColumnType | undefined)[];
  /** Reads a row whose values are all text. */
  readonly readText: RowReader;
  /** Reads a row in the requested formats. */
  readonly read: RowReader;
  /** The formats as Bind sends them: their number, then each in two bytes. */
  readonly formats: Buffer;
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

/** The types whose text is not parsed. All but texts are read in binary form, which both sides process faster than text. */
const READERS: Readonly<Record<number, { readonly type: ColumnType; readonly read: ValueReader }>> = {
  [BOOL]: { type: "boolean", read: (bytes, start) => bytes[start] === 1 },
  [INT4]: { type: "integer", read: (bytes, start) => bytes.readInt32BE(start) },
  [FLOAT8]: { type: "double", read: (bytes, start) => bytes.readDoubleBE(start) },
  [TIMESTAMPTZ]: { type: "time", read: readTimestamp },
  [TEXT]: { type: "text", read: (bytes, start, end) => bytes.toString("utf8", start, end) },
  [UUID]: { type: "text", read: (bytes, start, end) => bytes.toString("latin1", start, end) },
};

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
  return {
    names,
    types: types.map((type) => READERS[type]?.type),
    readText: findRowReader(names, types, false),
    read: findRowReader(names, types, true),
    formats: formatsOf(types),
  };
}

/** The row readers of all connections by the names and types of their columns, so that V8 optimizes each once. */
const rowReaders = new Map<string, RowReader>();

function findRowReader(names: readonly string[], types: readonly number[], isBinary: boolean): RowReader {
  const key = JSON.stringify([names, types, isBinary]);
  const known = rowReaders.get(key);
  if (known !== undefined) return known;
  const readers = types.map((type) => {
    const reader = READERS[type];
    return reader !== undefined && (isBinary || reader.type === "text") ? reader.read : createTextReader(type);
  });
  const reader = createRowReader(names, readers);
  rowReaders.set(key, reader);
  return reader;
}

/**
 * Generates a function that creates a row as one object literal. A loop that adds properties looks each one up by its name, because it meets
 * the columns of all statements: 6 % of the instructions of a request that reads a row of 20 columns.
 */
function createRowReader(names: readonly string[], readers: readonly ValueReader[]): RowReader {
  const values = names.map(
    (_, column) => `
      const length${column} = bytes.readInt32BE(place);
      place += 4;
      const value${column} = length${column} < 0 ? null : read${column}(bytes, place, place += length${column});`,
  );
  const properties = names.map((name, column) => `${propertyKey(name)}: value${column}`);
  const parameters = names.map((_, column) => `read${column}`);
  const body = `
    return (bytes, start) => {
      let place = start + 2;${values.join("")}
      return { ${properties.join(", ")} };
    };`;
  return new Function(...parameters, body)(...readers);
}

/** Returns a name as the key of an object literal. As a plain key, `__proto__` would set the prototype. */
function propertyKey(name: string): string {
  const key = JSON.stringify(name);
  return name === "__proto__" ? `[${key}]` : key;
}

function formatsOf(types: readonly number[]): Buffer {
  const formats = Buffer.alloc(2 + types.length * 2);
  formats.writeInt16BE(types.length);
  types.forEach((type, column) => {
    formats.writeInt16BE((READERS[type]?.type ?? "text") === "text" ? 0 : 1, 2 + column * 2);
  });
  return formats;
}

function createTextReader(type: number): ValueReader {
  const parse = pg.types.getTypeParser(type, "text");
  return (bytes, start, end) => parse(bytes.toString("utf8", start, end));
}

/** Reads a time. The infinities are numbers, as in `pg`. */
function readTimestamp(bytes: Buffer, start: number): Date | number {
  const ms = toMs(bytes.readInt32BE(start), bytes.readUInt32BE(start + 4));
  return Number.isFinite(ms) ? new Date(ms) : ms;
}

/**
 * Reads a 64-bit number of microseconds since 2000 as milliseconds since 1970, rounded down. Its minimum and maximum are the infinities.
 */
export function readTimeMs(view: DataView, start: number): number {
  return toMs(view.getInt32(start), view.getUint32(start + 4));
}

/** @param high the higher 32 bits of the number. */
function toMs(high: number, low: number): number {
  if (high === 0x7fffffff) return Number.POSITIVE_INFINITY;
  if (high === -0x80000000) return Number.NEGATIVE_INFINITY;
  return Math.floor((high * 2 ** 32 + low) / 1000) + POSTGRES_EPOCH_MS;
}
