import type { RequestState } from "../observability/requests/request-state.js";

/**
 * Limits the number of concurrent requests. A request counts from the end of its body, or of its head if the client streams messages. It
 * stops counting when its whole response has been handed to Node or the client disconnects, so slow clients do not use up the limit.
 */
export class ConcurrencyLimit {
  readonly #max: number;
  #count = 0;

  /** @param max the maximum number of concurrent requests; undefined for no limit. */
  constructor(max: number | undefined) {
    this.#max = max ?? Number.POSITIVE_INFINITY;
  }

  get isFull(): boolean {
    return this.#count >= this.#max;
  }

  /** Counts a request. Returns false, without counting the request, if the limit is reached. */
  take(state: RequestState): boolean {
    if (state.isCounted) return true;
    if (this.isFull) return false;
    state.isCounted = true;
    this.#count++;
    return true;
  }

  /** Stops counting a request. Does nothing if the request is not counted. */
  release(state: RequestState): void {
    if (!state.isCounted) return;
    state.isCounted = false;
    this.#count--;
  }
}
