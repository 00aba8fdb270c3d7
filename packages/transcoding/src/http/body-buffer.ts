import { createBodyTooLargeError } from "./body-errors.js";
import type { BodySink } from "./collect-body.js";

/**
 * Collects the chunks of a body in one buffer. Does not copy a chunk that is the complete body. Uses at most twice the memory of the body,
 * even if the chunks are tiny or are views of larger buffers.
 */
export class BodyBuffer implements BodySink<Uint8Array> {
  readonly #expectedBytes: number;
  readonly #maxBytes: number;
  #bytes: Uint8Array = new Uint8Array();
  #size = 0;

  /** @param expectedBytes the size of the complete body; 0 if unknown. */
  constructor(expectedBytes = 0, maxBytes = Number.POSITIVE_INFINITY) {
    this.#expectedBytes = expectedBytes;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a chunk. Throws a `RequestError` if the chunk makes the body longer than `maxBytes` bytes. */
  push(chunk: Uint8Array): void {
    const size = this.#size + chunk.length;
    if (size > this.#maxBytes) throw createBodyTooLargeError(this.#maxBytes);
    if (this.#size === 0) this.#bytes = this.#mayBeWhole(chunk) ? chunk : new Uint8Array(chunk);
    else {
      if (size > this.#bytes.length) this.#grow(size);
      this.#bytes.set(chunk, this.#size);
    }
    this.#size = size;
  }

  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Reports whether to keep a chunk without copying it. A small view of a large buffer is copied, because it would keep that buffer in memory. */
  #mayBeWhole(chunk: Uint8Array): boolean {
    if (this.#expectedBytes > 0) return chunk.length === this.#expectedBytes;
    return 2 * chunk.length >= chunk.buffer.byteLength;
  }

  /** Doubles the buffer, up to the expected size of the body. Does not allocate that size at once, because the client may never send so much. */
  #grow(size: number): void {
    const doubled = Math.max(size, 2 * this.#size);
    const bytes = new Uint8Array(size <= this.#expectedBytes ? Math.min(doubled, this.#expectedBytes) : doubled);
    bytes.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = bytes;
  }
}
