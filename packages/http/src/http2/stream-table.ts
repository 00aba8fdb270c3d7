import type { Http2Stream } from "./http2-stream.js";

/**
 * The open streams of a connection, by id.
 *
 * This is a sorted array instead of a Map to save memory. A Map whose entries change all the time keeps allocating new hash tables, and
 * each old table references the next. Once one of them reaches the old generation of the garbage collector, it keeps all later tables
 * and their streams in memory. On a busy server, they took tens of megabytes.
 */
export class StreamTable {
  /** Sorted by id, which is the order in which clients open streams. */
  readonly #streams: Http2Stream[] = [];

  get size(): number {
    return this.#streams.length;
  }

  /** A copy of the list of open streams. */
  all(): Http2Stream[] {
    return this.#streams.slice();
  }

  /** The stream with this id; undefined if it is not open. */
  find(id: number): Http2Stream | undefined {
    const found = this.#streams[this.#indexOf(id)];
    return found?.id === id ? found : undefined;
  }

  /** Adds a stream. Its id must be larger than those of all streams added before. */
  add(stream: Http2Stream): void {
    this.#streams.push(stream);
  }

  /** Removes a stream. Does nothing if it was removed before. */
  remove({ id }: Http2Stream): void {
    const index = this.#indexOf(id);
    if (this.#streams[index]?.id !== id) return;
    this.#streams.copyWithin(index, index + 1);
    this.#streams.pop();
  }

  /** The index of the first stream with this id or a larger one. */
  #indexOf(id: number): number {
    let first = 0;
    let end = this.#streams.length;
    while (first < end) {
      const middle = (first + end) >>> 1;
      if ((this.#streams[middle] as Http2Stream).id < id) first = middle + 1;
      else end = middle;
    }
    return first;
  }
}
