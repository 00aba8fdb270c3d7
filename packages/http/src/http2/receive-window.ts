/** A flow-control window for received data (RFC 9113 section 5.2). */
export class ReceiveWindow {
  readonly #size: number;
  #available: number;
  /** Consumed bytes that no increment has reported to the peer yet. */
  #consumed = 0;

  constructor(size: number) {
    this.#size = size;
    this.#available = size;
  }

  /** Counts received bytes. Returns false if they exceed the window. */
  receive(bytes: number): boolean {
    this.#available -= bytes;
    return this.#available >= 0;
  }

  /** Counts consumed bytes. Returns the window increment to send, which is 0 until half of the window is consumed. */
  consume(bytes: number): number {
    this.#consumed += bytes;
    if (this.#consumed < this.#size / 2) return 0;
    const increment = this.#consumed;
    this.#available += increment;
    this.#consumed = 0;
    return increment;
  }
}
