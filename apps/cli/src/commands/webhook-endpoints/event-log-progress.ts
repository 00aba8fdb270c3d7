interface Place {
  readonly cursor: string;
  isDone: boolean;
}

/** How far the event log has been processed, while several of its events are processed at the same time. */
export class EventLogProgress {
  readonly #places: Place[] = [];
  #cursor: string | undefined;

  /** The cursor up to which all events are done; undefined at the start. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Adds the next event, or a message that has only a cursor.
   *
   * @param cursor the cursor after it.
   * @returns a function that marks it as done.
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
