/** A token bucket: permits bursts of up to `capacity` events, and `perSecond` events per second on average. */
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

  /** Takes a token. Returns false if the bucket is empty. */
  take(): boolean {
    if (this.#tokens < 1) this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0;
  }

  /** Adds tokens, up to the capacity. */
  add(tokens: number): void {
    this.#tokens = Math.min(this.#capacity, Math.max(this.#tokens, 0) + tokens);
  }

  #fill(): void {
    const now = performance.now();
    this.add(((now - this.#filledAt) / 1000) * this.#perSecond);
    this.#filledAt = now;
  }
}
