import type { RequestState } from "../observability/requests/request-state.js";

/**
 * Limits in-flight requests. A request counts once its body is complete (its head, if the client streams messages), until its whole
 * response is handed to Node or the client disconnects. Slow senders and slow readers therefore do not use up the limit.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #count = 0;

  /** @param max undefined for no limit. */
  constructor(max: number | undefined) {
    this.#max = max ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  /** Counts a request. Returns false, without counting it, if the limit is reached. */
  take(state: RequestState): boolean {
    if (state.isCounted) return true;
    if (this.isFull) return false;
    state.isCounted = true;
    this.#count++;
    return true;
  }

  /** Stops counting a request. Does nothing if it is not counted. */
  release(state: RequestState): void {
    if (!state.isCounted) return;
    state.isCounted = false;
    this.#count--;
  }
}
