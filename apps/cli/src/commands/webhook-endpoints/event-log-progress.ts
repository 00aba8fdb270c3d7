interface Place {
  readonly cursor: string;
  isDone: boolean;
}

/** Tracks how far the event log has been processed while several events are processed at the same time. */
export class EventLogProgress {
  readonly #places: Place[] = [];
  #cursor: string | undefined;

  /** The cursor up to which all events are done; undefined before the first event is done. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /**
   * Adds the next event, or a message that has only a cursor.
   *
   * @param cursor the cursor after the event or message.
   * @returns a function that marks the event or message as done.
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
