import type { DescMessage } from "@bufbuild/protobuf";
import type { Columns, StoredRow } from "@calltrack/postgres";
import { ByteWriter } from "./byte-writer.js";
import { createJsonRowWriter } from "./json-row-writer.js";
import { createProtoRowWriter } from "./proto-row-writer.js";
import type { CurrentRow, RowWriter } from "./row-writer.js";
import { findStoredFields } from "./stored-field.js";

/** Writes the rows of a statement as messages of an account. */
export interface RowEncoder {
  /** Writes the rows as a JSON array, in the form of `PATH_JSON`. */
  toJson(rows: readonly StoredRow<unknown>[], accountToken: string): string;
  /** Writes the rows as the values of a repeated field, in the binary format of protobuf. */
  toBinary(rows: readonly StoredRow<unknown>[], accountToken: string, fieldNumber: number): Uint8Array<ArrayBuffer>;
}

/** The wire type of messages: https://protobuf.dev/programming-guides/encoding/#structure */
const LEN = 2;

const COMMA = 0x2c;

// Shared, because a list is written without a pause.
const out = new ByteWriter();

/** Creates the encoder of rows with these columns. Returns undefined if the columns cannot be copied into messages of type `desc`. */
export function createRowEncoder(desc: DescMessage, columns: Columns): RowEncoder | undefined {
  const fields = findStoredFields(desc, columns);
  if (fields === undefined) return undefined;
  const json = createJsonRowWriter(fields);
  const proto = createProtoRowWriter(fields);
  const ranges = new Int32Array(columns.names.length * 2);
  const current: CurrentRow = { bytes: Buffer.alloc(0), ranges, accountToken: Buffer.alloc(0) };

  function write(row: StoredRow<unknown>, writeRow: RowWriter): void {
    row.locate(ranges);
    current.bytes = row.bytes;
    writeRow(current, out);
  }

  function start(accountToken: string): void {
    out.clear();
    current.accountToken = Buffer.from(accountToken);
  }

  return {
    toJson(rows, accountToken) {
      start(accountToken);
      out.ascii("[");
      for (let index = 0; index < rows.length; index++) {
        if (index > 0) out.byte(COMMA);
        write(rows[index] as StoredRow<unknown>, json);
      }
      out.ascii("]");
      return out.toText();
    },
    toBinary(rows, accountToken, fieldNumber) {
      start(accountToken);
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
