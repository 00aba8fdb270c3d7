import type { Columns } from "./row-reader.js";

/** The bytes of rows that arrived together, each as a Latin-1 character. */
interface StoredBytes {
  readonly text: string;
}

/** A row in PostgreSQL's binary format, whose values are read when they are needed. */
export class StoredRow<R> {
  readonly columns: Columns;
  readonly #stored: StoredBytes;
  readonly #start: number;

  constructor(columns: Columns, stored: StoredBytes, start: number) {
    this.columns = columns;
    this.#stored = stored;
    this.#start = start;
  }

  /** Contains the row, until the bytes of another row are read. */
  get view(): DataView {
    load(this.#stored);
    return loadedView;
  }

  read(): R {
    load(this.#stored);
    return this.columns.read(loadedBytes, this.#start) as R;
  }

  /**
   * Finds the values in `view`: a boolean in one byte, an integer in four, a double in eight, each the highest byte first, a text in UTF-8, and
   * a time as `readTimeMs` reads it.
   *
   * @param ranges gets the start and the end of each value; the start is -1 if the value is null.
   * @returns the number of bytes of the row.
   */
  locate(ranges: Int32Array): number {
    const { view } = this;
    let place = this.#start + 2;
    for (let index = 0; index < this.columns.names.length; index++) {
      const length = view.getInt32(place);
      place += 4;
      ranges[index * 2] = length < 0 ? -1 : place;
      if (length > 0) place += length;
      ranges[index * 2 + 1] = place;
    }
    return place - this.#start;
  }
}

const MIN_BYTES = 64 * 1024;

let loaded: StoredBytes = { text: "" };
let loadedBytes = Buffer.allocUnsafeSlow(MIN_BYTES);
let loadedView = new DataView(loadedBytes.buffer);

/** Writes the stored bytes to the beginning of `loadedBytes`, where they stay until the next call with others. */
function load(stored: StoredBytes): void {
  // Comparing the texts would take as long as writing them if two results are the same.
  if (stored === loaded) return;
  const { text } = stored;
  if (text.length > loadedBytes.length) {
    loadedBytes = Buffer.allocUnsafeSlow(text.length);
    loadedView = new DataView(loadedBytes.buffer);
  }
  loadedBytes.write(text, "latin1");
  loaded = stored;
}

/**
 * Collects the rows of a result. Keeps their bytes as strings, because V8 allocates and frees strings faster than buffers, whose memory it does not
 * manage itself. Buffers that live as long as a request doubled the memory of a busy process.
 */
export class StoredRowCollector {
  readonly #rows: StoredRow<unknown>[] = [];
  readonly #columns: Columns;
  /** The buffer of the last rows, which are not in `#rows` yet. */
  #received: Buffer | undefined;
  #starts: number[] = [];
  #end = 0;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  add(bytes: Buffer, start: number, end: number): void {
    if (bytes !== this.#received) {
      this.#addReceived();
      this.#received = bytes;
    }
    this.#starts.push(start);
    this.#end = end;
  }

  finish(): StoredRow<unknown>[] {
    this.#addReceived();
    return this.#rows;
  }

  #addReceived(): void {
    const [first] = this.#starts;
    if (this.#received === undefined || first === undefined) return;
    const stored = { text: this.#received.toString("latin1", first, this.#end) };
    for (const start of this.#starts) this.#rows.push(new StoredRow(this.#columns, stored, start - first));
    this.#starts = [];
  }
}
