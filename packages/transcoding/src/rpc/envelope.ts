import { BodyBuffer } from "../http/body-buffer.js";
import { createTooLargeError } from "../http/body-errors.js";
import { type ContentCoding, decodeBytes } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";

/** The size of a message prefix, which contains flags and length, in gRPC, gRPC-Web and Connect streams. */
export const PREFIX_BYTES = 5;
/** The flag of a compressed message. */
export const COMPRESSED = 1;
/** The flag of the last message of a Connect stream, which contains the error of the RPC, if any. */
export const END_OF_STREAM = 2;

const EMPTY = new Uint8Array();

/** Collects one message and its prefix from the chunks of a body. Throws a `RequestError` as soon as the message is invalid. */
export class Envelope {
  readonly #maxBytes: number;
  readonly #codings: readonly ContentCoding[];
  /** The received bytes while the prefix is incomplete. */
  #prefix: Uint8Array = EMPTY;
  #bytes: BodyBuffer | undefined;
  #flags = 0;
  /** The size of the prefix and its message, once the prefix is complete. */
  #size = 0;

  /**
   * @param maxBytes the maximum size of the message without its prefix, before and after decompression.
   * @param codings the codings of a compressed message; empty if the request names none.
   */
  constructor(maxBytes: number, codings: readonly ContentCoding[]) {
    this.#maxBytes = maxBytes;
    this.#codings = codings;
  }

  get isEmpty(): boolean {
    return this.#bytes === undefined && this.#prefix.length === 0;
  }

  /** The number of received bytes, including the prefix. */
  get size(): number {
    return this.#bytes?.size ?? this.#prefix.length;
  }

  get isComplete(): boolean {
    return this.#bytes?.size === this.#size;
  }

  /** Adds bytes up to the end of the message, and returns the rest. */
  push(chunk: Uint8Array): Uint8Array {
    let bytes = chunk;
    if (this.#bytes === undefined) {
      bytes = this.#prefix.length === 0 ? chunk : Buffer.concat([this.#prefix, chunk]);
      if (bytes.length < PREFIX_BYTES) {
        this.#prefix = bytes;
        return EMPTY;
      }
      this.#flags = bytes[0] as number;
      this.#checkFlags();
      this.#size = PREFIX_BYTES + this.#requireLength(bytes);
      this.#bytes = new BodyBuffer(this.#size);
    }
    const missing = this.#size - this.#bytes.size;
    this.#bytes.push(bytes.length > missing ? bytes.subarray(0, missing) : bytes);
    return bytes.length > missing ? bytes.subarray(missing) : EMPTY;
  }

  /** Returns the message, decompressed. Throws a `RequestError` if it is incomplete; rejects with one if it is damaged. */
  message(): Uint8Array | Promise<Uint8Array> {
    if (this.#bytes === undefined || !this.isComplete) {
      throw new RequestError("BODY_MALFORMED", "the message ended early: its length must match its prefix");
    }
    const message = this.#bytes.finish().subarray(PREFIX_BYTES);
    return this.#flags === COMPRESSED ? decodeBytes(message, this.#codings, this.#maxBytes) : message;
  }

  #checkFlags(): void {
    if (this.#flags > COMPRESSED) {
      throw new RequestError("FRAME_MALFORMED", "the flags of a message must be 0, or 1 if it is compressed");
    }
    if (this.#flags === COMPRESSED && this.#codings.length === 0) {
      throw new RequestError(
        "FRAME_MALFORMED",
        "the message is compressed without a header that names the encoding: send the header, or an uncompressed message",
      );
    }
  }

  #requireLength(prefix: Uint8Array): number {
    const length = new DataView(prefix.buffer, prefix.byteOffset).getUint32(1);
    if (length <= this.#maxBytes) return length;
    throw createTooLargeError(this.#maxBytes, "message");
  }
}

/** Prepends the prefix to a message. */
export function frameMessage(message: Uint8Array, flags = 0): Uint8Array {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame[0] = flags;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}
