import type { DescMessage } from "@bufbuild/protobuf";
import type { Columns, StoredRow } from "@calltrack/postgres";
import { ByteWriter } from "./byte-writer.js";
import { createJsonRowWriter } from "./json-row-writer.js";
import { createProtoRowWriter } from "./proto-row-writer.js";
import type { CurrentRow, RowWriter } from "./row-writer.js";
import { type FieldSources, findStoredFields } from "./stored-field.js";

/** The text of each field that is the same in all rows, by the local name of the field. */
export type SharedTexts = Readonly<Record<string, string>>;

/** Writes the rows of a statement as messages. */
export interface RowEncoder {
  /** Writes the rows as a JSON array, in the form of `PATH_JSON`. */
  toJson(rows: readonly StoredRow<unknown>[], shared: SharedTexts): string;
  /** Writes the rows as the values of a repeated field, in the binary format of protobuf. */
  toBinary(rows: readonly StoredRow<unknown>[], shared: SharedTexts, fieldNumber: number): Uint8Array<ArrayBuffer>;
}

/** The wire type of messages: https://protobuf.dev/programming-guides/encoding/#structure */
const LEN = 2;

const COMMA = 0x2c;

// Shared, because a list is written without a pause.
const out = new ByteWriter();

/** Creates the encoder of rows with these columns. Returns undefined if the columns cannot be copied into messages of type `desc`. */
export function createRowEncoder(desc: DescMessage, columns: Columns, sources: FieldSources): RowEncoder | undefined {
  const fields = findStoredFields(desc, columns, sources);
  if (fields === undefined) return undefined;
  const json = createJsonRowWriter(fields);
  const proto = createProtoRowWriter(fields);
  const current: CurrentRow = { bytes: Buffer.alloc(0), ranges: new Int32Array(columns.names.length * 2), shared: {} };

  function write(row: StoredRow<unknown>, writeRow: RowWriter): void {
    row.locate(current.ranges);
    current.bytes = row.bytes;
    writeRow(current, out);
  }

  function start(shared: SharedTexts): void {
    out.clear();
    current.shared = Object.fromEntries(Object.entries(shared).map(([name, text]) => [name, Buffer.from(text)]));
  }

  return {
    toJson(rows, shared) {
      start(shared);
      out.ascii("[");
      for (let index = 0; index < rows.length; index++) {
        if (index > 0) out.byte(COMMA);
        write(rows[index] as StoredRow<unknown>, json);
      }
      out.ascii("]");
      return out.toText();
    },
    toBinary(rows, shared, fieldNumber) {
      start(shared);
      for (const row of rows) {
        out.varint(fieldNumber * 8 + LEN);
        const messageStart = out.startMessage();
        write(row, proto);
        out.endMessage(messageStart);
      }
      return out.toBytes();
    },
  };
}
