import type { RequestState } from "../observability/requests/request-state.js";

/**
 * Limits the requests in progress. A request counts from its full receipt, or from its head if it is a stream of messages, until its
 * response is complete or its client disconnects. Slow senders thus do not use up the limit, nor do slow readers of complete responses.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #count = 0;

  /** @param max undefined for no limit. */
  constructor(max: number | undefined) {
    this.#max = max ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the limit is reached. */
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
