/** How much a peer may send, and when it is told that it may send more (RFC 9113 section 5.2). */
export class ReceiveWindow {
  readonly #size: number;
  #left: number;
  /** Bytes that were taken, and that the peer was not yet told of. */
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** Counts bytes that have come; false if they are more than they may be. */
  receive(bytes: number): boolean {
    this.#left -= bytes;
    return this.#left >= 0;
  }

  /** Counts bytes that were taken, and returns by how much to tell the peer to widen its window: 0 until half of it was taken. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < this.#size / 2) return 0;
    const increment = this.#taken;
    this.#left += increment;
    this.#taken = 0;
    return increment;
  }
}
