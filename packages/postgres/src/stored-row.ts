import { type Columns, readRow } from "./row-reader.js";

/** A row in PostgreSQL's binary format, whose values are read when they are needed. */
export class StoredRow<R> {
  readonly columns: Columns;
  /** Contains the row and must not be changed. */
  readonly bytes: Buffer;
  readonly #start: number;

  constructor(columns: Columns, bytes: Buffer, start: number) {
    this.columns = columns;
    this.bytes = bytes;
    this.#start = start;
  }

  /** Returns the row as an object. */
  read(): R {
    return readRow(this.columns, this.columns.readers, this.bytes, this.#start) as R;
  }

  /**
   * Finds the values in `bytes`: a boolean in one byte, an integer in four, a double in eight, each the highest byte first, a text in UTF-8, and
   * a time as `readTimeMs` reads it.
   *
   * @param ranges gets the start and the end of each value; the start is -1 if the value is null.
   */
  locate(ranges: Int32Array): void {
    const { bytes } = this;
    let place = this.#start + 2;
    for (let index = 0; index < this.columns.names.length; index++) {
      const length = bytes.readInt32BE(place);
      place += 4;
      ranges[index * 2] = length < 0 ? -1 : place;
      if (length > 0) place += length;
      ranges[index * 2 + 1] = place;
    }
  }
}
