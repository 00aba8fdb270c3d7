import { BodyBuffer } from "../http/body-buffer.js";
import { createMessageTooLargeError } from "../http/body-errors.js";

/** The size of a message prefix, which contains flags and length, in gRPC, gRPC-Web and Connect streams. */
export const PREFIX_BYTES = 5;

const EMPTY = new Uint8Array();

/** Collects one message and its prefix from the chunks of a body. */
export class Envelope {
  readonly #maxBytes: number;
  /** The received bytes while the prefix is incomplete. */
  #prefix: Uint8Array = EMPTY;
  #bytes: BodyBuffer | undefined;
  /** The size of the prefix and its message, once the prefix is complete. */
  #size = 0;

  /** @param maxBytes the maximum size of the message without its prefix. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#bytes === undefined && this.#prefix.length === 0;
  }

  get isComplete(): boolean {
    return this.#bytes?.size === this.#size;
  }

  /** Adds bytes up to the end of the message, and returns the rest. Throws a `RequestError` for a message that is too large. */
  push(chunk: Uint8Array): Uint8Array {
    let bytes = chunk;
    if (this.#bytes === undefined) {
      bytes = concat(this.#prefix, chunk);
      if (bytes.length < PREFIX_BYTES) {
        this.#prefix = bytes;
        return EMPTY;
      }
      this.#size = PREFIX_BYTES + this.requireLength(bytes);
      this.#bytes = new BodyBuffer(this.#size);
    }
    const missing = this.#size - this.#bytes.size;
    this.#bytes.push(bytes.length > missing ? bytes.subarray(0, missing) : bytes);
    return bytes.length > missing ? bytes.subarray(missing) : EMPTY;
  }

  /** Returns the received bytes, with the prefix. */
  take(): Uint8Array {
    return this.#bytes?.take() ?? this.#prefix;
  }

  /** Returns the length of the message in a complete prefix. */
  protected requireLength(prefix: Uint8Array): number {
    const length = readLength(prefix);
    if (length <= this.#maxBytes) return length;
    throw createMessageTooLargeError(this.#maxBytes);
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function readLength(prefix: Uint8Array): number {
  let length = 0;
  for (let at = 1; at < PREFIX_BYTES; at++) length = length * 256 + (prefix[at] as number);
  return length;
}

// Node.js allocates small buffers from a pool, which is much faster.
const allocate = typeof Buffer === "undefined" ? (bytes: number) => new Uint8Array(bytes) : Buffer.allocUnsafe;

/** Prepends the prefix to a message. */
export function frameMessage(message: Uint8Array, flags = 0): Uint8Array {
  const { length } = message;
  const frame: Uint8Array = allocate(PREFIX_BYTES + length);
  frame[0] = flags;
  frame[1] = length >>> 24;
  frame[2] = length >>> 16;
  frame[3] = length >>> 8;
  frame[4] = length;
  frame.set(message, PREFIX_BYTES);
  return frame;
}
