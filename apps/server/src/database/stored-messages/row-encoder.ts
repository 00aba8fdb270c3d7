import type { DescMessage } from "@bufbuild/protobuf";
import type { Columns, StoredRow } from "@calltrack/postgres";
import { createJsonRowWriter } from "./json-row.js";
import { createProtoRowWriter } from "./proto-row.js";
import type { CurrentRow, RowWriter } from "./row-writer.js";
import { findStoredFields } from "./stored-field.js";

/** Writes the rows of a statement as messages of an account. There is at least one row. */
export interface RowEncoder {
  /** Writes the rows as a JSON array, in the form of `PATH_JSON`. */
  toJson(rows: readonly StoredRow<unknown>[], accountToken: string): string;
  /** Writes the rows as the values of the repeated field, in the binary format of protobuf. */
  toBinary(rows: readonly StoredRow<unknown>[], accountToken: string): Uint8Array<ArrayBuffer>;
}

/** The largest buffer that is kept for the next list. */
const MAX_KEPT_BYTES = 1024 * 1024;
const MIN_BYTES = 16 * 1024;
/** The bytes of a field at most, besides its name and its text. */
const MAX_FIELD_BYTES = 32;
/** The bytes that a byte of text becomes at most: `\u0001`. */
const MAX_ESCAPED_BYTES = 6;
/** The bytes of a message at most, besides its fields: brackets, or its tag and its length. */
const MAX_MESSAGE_BYTES = 16;

const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;

// Shared, because a list is written without a pause.
let out = createView(MIN_BYTES);

/**
 * Creates an encoder for rows with these columns, whose messages are the values of a repeated field. Returns undefined if a field of the
 * messages has no column that can be copied into it.
 */
export function createRowEncoder(
  list: { readonly message: DescMessage; readonly number: number },
  columns: Columns,
): RowEncoder | undefined {
  const fields = findStoredFields(list.message, columns);
  if (fields === undefined) return undefined;
  const ranges = new Int32Array(columns.names.length * 2);
  const row: CurrentRow = { view: createView(0), ranges, accountToken: createView(0) };
  /** The bytes of a message at most, without its texts. */
  const fixedBytes = fields.reduce((sum, { desc }) => sum + desc.name.length + MAX_FIELD_BYTES, MAX_MESSAGE_BYTES);
  const writeJson = createJsonRowWriter(fields);
  const writeProto = createProtoRowWriter(fields, list.number);

  /** Writes all rows to the beginning of `out`. Returns where they end. */
  function writeRows(rows: readonly StoredRow<unknown>[], accountToken: string, write: RowWriter): number {
    if (out.byteLength > MAX_KEPT_BYTES) out = createView(MIN_BYTES);
    row.accountToken = viewOf(Buffer.from(accountToken));
    let place = 0;
    for (const stored of rows) {
      const size = stored.locate(ranges);
      row.view = stored.view;
      reserve(place, fixedBytes + (size + row.accountToken.byteLength) * MAX_ESCAPED_BYTES);
      place = write(row, out, place);
    }
    return place;
  }

  /** Writes a row as an element of an array. Every element begins with a comma, also the first. */
  function writeElement(current: CurrentRow, output: DataView, place: number): number {
    output.setUint8(place, COMMA);
    return writeJson(current, output, place + 1);
  }

  return {
    toJson(rows, accountToken) {
      const end = writeRows(rows, accountToken, writeElement);
      out.setUint8(0, OPENING_BRACKET);
      out.setUint8(end, CLOSING_BRACKET);
      return Buffer.from(out.buffer).toString("utf8", 0, end + 1);
    },
    toBinary(rows, accountToken) {
      const end = writeRows(rows, accountToken, writeProto);
      return new Uint8Array(out.buffer.slice(0, end));
    },
  };
}

/** Makes room in `out` from `place`. */
function reserve(place: number, bytes: number): void {
  const needed = place + bytes;
  if (needed <= out.byteLength) return;
  const larger = createView(Math.max(needed, out.byteLength * 2));
  new Uint8Array(larger.buffer).set(new Uint8Array(out.buffer, 0, place));
  out = larger;
}

function createView(length: number): DataView<ArrayBuffer> {
  return new DataView(new ArrayBuffer(length));
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
