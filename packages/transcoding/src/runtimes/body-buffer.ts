/**
 * Collects a body from the pieces in which it comes. They are copied together, but for one that is the whole: however small they are,
 * they take no more memory than twice their bytes.
 */
export class BodyBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  /** How many bytes there are. */
  get size(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (this.#size === 0) this.#bytes = chunk;
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

  #grow(size: number): void {
    const bytes = Buffer.allocUnsafe(Math.max(size, 2 * this.#size));
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
  }
}
