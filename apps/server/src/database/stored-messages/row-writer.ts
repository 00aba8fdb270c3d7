import type { ByteWriter } from "./byte-writer.js";

/** The row that is being written. */
export interface CurrentRow {
  bytes: Buffer;
  /** The ranges of the values in `bytes`; see `StoredRow.locate`. */
  readonly ranges: Int32Array;
  /** The token of the account, in UTF-8. */
  accountToken: Buffer;
}

/** Writes a row as a message. */
export type RowWriter = (row: CurrentRow, out: ByteWriter) => void;

/** Writes a value that is not null. */
export type ValueWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void;
