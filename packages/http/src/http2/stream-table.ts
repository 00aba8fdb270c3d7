/** What has the id of a stream. */
interface Identified {
  readonly id: number;
}

/**
 * The open streams of a connection, by their ids.
 *
 * It is no Map: one that gets and loses entries all the time makes new tables all the time, each reachable from the one before. Once
 * one of them is in the old generation of the garbage collector, all of them are kept until that is collected, each with the streams
 * that it had, which took a busy server tens of megabytes.
 */
export class StreamTable<S extends Identified> {
  /** In the order of their ids, which is that in which clients open them. */
  readonly #streams: S[] = [];

  get size(): number {
    return this.#streams.length;
  }

  /** All of them at the moment. */
  all(): S[] {
    return this.#streams.slice();
  }

  /** The stream with this id; undefined if it is not open. */
  find(id: number): S | undefined {
    const found = this.#streams[this.#placeOf(id)];
    return found?.id === id ? found : undefined;
  }

  /** Adds a stream, whose id is larger than all before. */
  add(stream: S): void {
    this.#streams.push(stream);
  }

  /** Removes a stream, if it is there. */
  remove({ id }: S): void {
    const place = this.#placeOf(id);
    if (this.#streams[place]?.id !== id) return;
    this.#streams.copyWithin(place, place + 1);
    this.#streams.pop();
  }

  /** The first place whose stream has this id or a larger one. */
  #placeOf(id: number): number {
    let first = 0;
    let end = this.#streams.length;
    while (first < end) {
      const middle = (first + end) >>> 1;
      if ((this.#streams[middle] as S).id < id) first = middle + 1;
      else end = middle;
    }
    return first;
  }
}
