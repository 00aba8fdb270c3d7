/** The row that is being written, and the account of its message. */
export interface CurrentRow {
  /** The bytes that contain the row. */
  view: DataView;
  /** The ranges of the values in `view`; see `StoredRow.locate`. */
  readonly ranges: Int32Array;
  /** The token of the account, in UTF-8. */
  accountToken: DataView;
}

/** Writes a row as a message from `place` in a buffer that has room for it. Returns the place behind it. */
export type RowWriter = (row: CurrentRow, out: DataView, place: number) => number;
