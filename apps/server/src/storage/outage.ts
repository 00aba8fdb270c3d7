/** What is wrong with a server for less than this, such as a restart, is waited for by what was not sent yet or only reads. */
const SHORT_MS = 2000;

/**
 * Since when a server is not to be reached. Those who share it see the same: what one of them learns, the others need not find
 * out.
 */
export class Outage {
  readonly #shortMs: number;
  #reachedAt = Number.NEGATIVE_INFINITY;

  /** @param shortMs how long an outage is taken for a short one. */
  constructor(shortMs = SHORT_MS) {
    this.#shortMs = shortMs;
  }

  /** Notes that a connection is there, or was there until now. */
  noteReached(): void {
    this.#reachedAt = performance.now();
  }

  /** Whether there was a connection a moment ago, so that it may be worth to wait for the next. */
  get isShort(): boolean {
    return performance.now() - this.#reachedAt < this.#shortMs;
  }
}
