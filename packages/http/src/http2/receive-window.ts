/** A flow-control window for received data (RFC 9113 section 5.2). */
export class ReceiveWindow {
  readonly #size: number;
  #left: number;
  /** Consumed bytes that no increment has reported to the peer yet. */
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** Counts received bytes. Returns false if they exceed the window. */
  receive(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** Counts consumed bytes. Returns the window increment to send, which is 0 until half of the window is consumed. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < this.#size / 2) return 0;
    const increment = this.#taken;
    this.#left += increment;
    this.#taken = 0;
    return increment;
  }
}
