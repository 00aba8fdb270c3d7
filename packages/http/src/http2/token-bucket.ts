/** Allows so many events at once, and so many a second in the long run. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  #tokens: number;
  #filledAt = performance.now();

  constructor(capacity: number, perSecond: number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
  }

  /** Takes a token; false if there is none. */
  take(): boolean {
    if (this.#tokens < 1) this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0;
  }

  /** Adds tokens, up to as many as may be taken at once. */
  give(tokens: number): void {
    this.#tokens = Math.min(this.#capacity, Math.max(this.#tokens, 0) + tokens);
  }

  #fill(): void {
    const now = performance.now();
    this.give(((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
  }
}
