import { BodyBuffer } from "../http/body-buffer.js";
import { createBodyTooLargeError } from "../http/body-errors.js";
import { type ContentCoding, decodeContent } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";

/** The size of the prefix before each message in gRPC, gRPC-Web and Connect streams: one byte of flags, and four bytes of length. */
export const ENVELOPE_PREFIX_BYTES = 5;
/** The flag in the prefix of a compressed message. */
export const COMPRESSED_FLAG = 1;
/** The flag in the prefix of the last message of a Connect stream. This message contains the error of the RPC, if any. */
export const END_OF_STREAM_FLAG = 2;

const EMPTY = new Uint8Array();

/** Collects one message and its prefix from the chunks of a body. Throws a `RequestError` as soon as the message is invalid. */
export class Envelope {
  readonly #maxBytes: number;
  readonly #codings: readonly ContentCoding[];
  /** The bytes that have arrived while the prefix is incomplete. */
  #prefix: Uint8Array = EMPTY;
  #bytes: BodyBuffer | undefined;
  #flags = 0;
  /** The size of the message with its prefix; 0 until the prefix is complete. */
  #size = 0;

  /**
   * @param maxBytes the maximum size of the message without its prefix, before and after decompression.
   * @param codings the content codings of a compressed message; empty if the request's headers name none.
   */
  constructor(maxBytes: number, codings: readonly ContentCoding[]) {
    this.#maxBytes = maxBytes;
    this.#codings = codings;
  }

  get isEmpty(): boolean {
    return this.#bytes === undefined && this.#prefix.length === 0;
  }

  /** The number of bytes that have arrived, including the prefix. */
  get size(): number {
    return this.#bytes?.size ?? this.#prefix.length;
  }

  get isComplete(): boolean {
    return this.#bytes?.size === this.#size;
  }

  /** Adds the bytes of `chunk` up to the end of the message, and returns the remaining bytes. */
  push(chunk: Uint8Array): Uint8Array {
    let bytes = chunk;
    if (this.#bytes === undefined) {
      bytes = this.#prefix.length === 0 ? chunk : Buffer.concat([this.#prefix, chunk]);
      if (bytes.length < ENVELOPE_PREFIX_BYTES) {
        this.#prefix = bytes;
        return EMPTY;
      }
      this.#flags = bytes[0] as number;
      this.#checkFlags();
      this.#size = ENVELOPE_PREFIX_BYTES + this.#requireLength(bytes);
      this.#bytes = new BodyBuffer(this.#size);
    }
    const missing = this.#size - this.#bytes.size;
    this.#bytes.push(bytes.length > missing ? bytes.subarray(0, missing) : bytes);
    return bytes.length > missing ? bytes.subarray(missing) : EMPTY;
  }

  /** Returns the decompressed message. Throws a `RequestError` for an incomplete message, and rejects with one for damaged compressed bytes. */
  message(): Uint8Array | Promise<Uint8Array> {
    if (this.#bytes === undefined || !this.isComplete) {
      throw new RequestError(
        "BODY_MALFORMED",
        "the body ended before the message was complete: the length in the prefix must be that of the message",
      );
    }
    const message = this.#bytes.finish().subarray(ENVELOPE_PREFIX_BYTES);
    return this.#flags === COMPRESSED_FLAG ? decodeContent(message, this.#codings, this.#maxBytes) : message;
  }

  #checkFlags(): void {
    if (this.#flags > COMPRESSED_FLAG) {
      throw new RequestError(
        "FRAME_MALFORMED",
        "the flags in the prefix of a message must be 0, or 1 if the message is compressed",
      );
    }
    if (this.#flags === COMPRESSED_FLAG && this.#codings.length === 0) {
      throw new RequestError(
        "FRAME_MALFORMED",
        "the message is compressed, but no header names its encoding: name the encoding in a header, or send an uncompressed message",
      );
    }
  }

  #requireLength(prefix: Uint8Array): number {
    const length = new DataView(prefix.buffer, prefix.byteOffset).getUint32(1);
    if (length <= this.#maxBytes) return length;
    throw createBodyTooLargeError(this.#maxBytes, "message");
  }
}

/** Puts the five-byte prefix, with flags and length, before a message. */
export function frameMessage(message: Uint8Array, flags = 0): Uint8Array {
  const frame = Buffer.allocUnsafe(ENVELOPE_PREFIX_BYTES + message.length);
  frame[0] = flags;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, ENVELOPE_PREFIX_BYTES);
  return frame;
}
