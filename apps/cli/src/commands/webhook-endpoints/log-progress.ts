/** A place of the event log. */
interface Place {
  readonly cursor: string;
  isDone: boolean;
}

/** How far the event log is worked off, while the work on several of its events goes on. */
export class LogProgress {
  readonly #places: Place[] = [];
  #cursor: string | undefined;

  /** The cursor after the last event up to which all are done; undefined at the start. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Adds the next event, or a place without one.
   *
   * @param cursor the cursor of the place after it.
   * @returns the function that marks it as done.
   */
  add(cursor: string): () => void {
    const place = { cursor, isDone: false };
    this.#places.push(place);
    return () => {
      place.isDone = true;
      while (this.#places[0]?.isDone) this.#cursor = this.#places.shift()?.cursor;
    };
  }
}
