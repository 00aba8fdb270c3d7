/**
 * Collects a body from the pieces in which it comes. They are copied together, but for one that is the whole: however small they are,
 * and whatever they are views of, they take no more memory than twice their bytes.
 */
export class BodyBuffer {
  readonly #expectedBytes: number;
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  /** @param expectedBytes how many there will be; 0 where that is not known. */
  constructor(expectedBytes = 0) {
    this.#expectedBytes = expectedBytes;
  }

  /** How many bytes there are. */
  get size(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (this.#size === 0) this.#bytes = this.#mayBeWhole(chunk) ? chunk : Buffer.from(chunk);
    else {
      if (size > this.#bytes.length) this.#grow(size);
      chunk.copy(this.#bytes, this.#size);
    }
    this.#size = size;
  }

  /** All that was pushed. */
  take(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** A view of something much larger would keep all of that. */
  #mayBeWhole(chunk: Buffer): boolean {
    if (this.#expectedBytes > 0) return chunk.length === this.#expectedBytes;
    return 2 * chunk.length >= chunk.buffer.byteLength;
  }

  /** Doubles, though not beyond what is expected: memory is reserved for what is there, and not for what a client promises. */
  #grow(size: number): void {
    const doubled = Math.max(size, 2 * this.#size);
    const bytes = Buffer.allocUnsafe(size <= this.#expectedBytes ? Math.min(doubled, this.#expectedBytes) : doubled);
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
  }
}
