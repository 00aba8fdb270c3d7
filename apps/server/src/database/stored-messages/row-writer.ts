/** The row that is being written, and the account of its message. */
export interface CurrentRow {
  bytes: Buffer;
  /** The ranges of the values in `bytes`; see `StoredRow.locate`. */
  readonly ranges: Int32Array;
  /** The token of the account, in UTF-8. */
  accountToken: Buffer;
}

/** The buffer that a list is written to. */
export interface Output {
  readonly bytes: Buffer;
  /** The same bytes. */
  readonly view: DataView;
}

/** Writes a row as a message from `place` in a buffer that has room for it. Returns the place behind it. */
export type RowWriter = (row: CurrentRow, out: Output, place: number) => number;
