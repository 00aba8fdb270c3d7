/**
 * Collects a body from the chunks in which it arrives. Chunks are copied together, except one that is the complete body: whatever their
 * sizes, and whatever they are views of, they take at most twice their bytes of memory.
 */
export class BodyBuffer {
  readonly #expectedBytes: number;
  #bytes: Uint8Array = new Uint8Array();
  #size = 0;

  /** @param expectedBytes 0 if unknown. */
  constructor(expectedBytes = 0) {
    this.#expectedBytes = expectedBytes;
  }

  /** The number of bytes so far. */
  get size(): number {
    return this.#size;
  }

  push(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (this.#size === 0) this.#bytes = this.#mayBeWhole(chunk) ? chunk : new Uint8Array(chunk);
    else {
      if (size > this.#bytes.length) this.#grow(size);
      this.#bytes.set(chunk, this.#size);
    }
    this.#size = size;
  }

  /** All that was pushed. */
  take(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** A view of something much larger would keep all of that. */
  #mayBeWhole(chunk: Uint8Array): boolean {
    if (this.#expectedBytes > 0) return chunk.length === this.#expectedBytes;
    return 2 * chunk.length >= chunk.buffer.byteLength;
  }

  /** Doubles, but not beyond the expected bytes: memory is reserved for what has arrived, not for what a client promises. */
  #grow(size: number): void {
    const doubled = Math.max(size, 2 * this.#size);
    const bytes = new Uint8Array(size <= this.#expectedBytes ? Math.min(doubled, this.#expectedBytes) : doubled);
    bytes.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = bytes;
  }
}
