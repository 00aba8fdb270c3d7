import { MAX_FRAME_BYTES, MAX_UINT31 } from "./frame.js";

/** Bytes of a response body. */
export interface QueuedBytes {
  readonly bytes: Uint8Array;
  /** Called when all bytes are sent, or when the stream closes. */
  readonly onSent: (() => void) | undefined;
}

/** A part of the queued bytes that the windows admit. */
interface OutgoingPiece extends QueuedBytes {
  /** Whether it has the last of the bytes that were added together. */
  readonly isLast: boolean;
}

/** The bytes of a response body that wait for the send window of their stream (RFC 9113 section 5.2). */
export class SendQueue {
  #window: number;
  readonly #queue: QueuedBytes[] = [];
  /** Bytes of the first entry that were taken before. */
  #offset = 0;
  #sent = 0;

  /** @param window bytes that the client permits initially. */
  constructor(window: number) {
    this.#window = window;
  }

  /** Bytes that the client permits; negative after the client has reduced its initial window. */
  get window(): number {
    return this.#window;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Number of bytes taken so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Number of bytes that were not taken yet. */
  get unsent(): number {
    return this.#queue.reduce((sum, { bytes }) => sum + bytes.length, -this.#offset);
  }

  /** Adjusts the window. Returns false if it exceeds the maximum window size. */
  adjustWindow(increment: number): boolean {
    this.#window += increment;
    return this.#window <= MAX_UINT31;
  }

  add(bytes: Uint8Array, onSent: (() => void) | undefined): void {
    this.#queue.push({ bytes, onSent });
  }

  /** Takes the next bytes for one frame, at most `maxBytes`. Returns undefined if there are none or the window is exhausted. */
  take(maxBytes: number): OutgoingPiece | undefined {
    const first = this.#queue[0];
    if (first === undefined) return undefined;
    const { bytes, onSent } = first;
    const start = this.#offset;
    const length = Math.min(bytes.length - start, Math.max(this.#window, 0), maxBytes, MAX_FRAME_BYTES);
    if (length === 0 && bytes.length > start) return undefined;
    const isLast = start + length === bytes.length;
    this.#window -= length;
    this.#sent += length;
    this.#offset = isLast ? 0 : start + length;
    if (isLast) this.#queue.shift();
    return { bytes: bytes.subarray(start, start + length), onSent, isLast };
  }

  /** Removes and returns all bytes that were not taken completely. */
  clear(): readonly QueuedBytes[] {
    return this.#queue.splice(0);
  }
}
