import { FRAME_HEADER_BYTES, FrameType, MAX_FRAME_BYTES } from "./frame.js";
import { ConnectionError, ErrorCode } from "./http2-error.js";

/** The client connection preface (RFC 9113 section 3.4). */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Handles a frame. The payload is a view of the received bytes: do not modify it, and copy it to retain only a small part. */
export type FrameHandler = (type: number, flags: number, streamId: number, payload: Buffer) => void;

/** Splits the bytes of a connection into frames. Checks that they begin with the preface and a SETTINGS frame. */
export class FrameReader {
  readonly #handle: FrameHandler;
  #rest: Buffer | undefined;
  #hasPreface = false;
  #hasSettings = false;

  constructor(handle: FrameHandler) {
    this.#handle = handle;
  }

  /** Whether the preface and the first SETTINGS frame were received. */
  get hasSettings(): boolean {
    return this.#hasSettings;
  }

  /** Appends received bytes and handles every complete frame. Throws a `ConnectionError` if the bytes are malformed. */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = this.#hasPreface ? 0 : this.#readPreface(bytes);
    while (this.#hasPreface && bytes.length - start >= FRAME_HEADER_BYTES) {
      const length = bytes.readUIntBE(start, 3);
      if (length > MAX_FRAME_BYTES)
        throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, "the frame exceeds SETTINGS_MAX_FRAME_SIZE");
      const end = start + FRAME_HEADER_BYTES + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(start + FRAME_HEADER_BYTES, end);
      this.#emit(bytes[start + 3] as number, bytes[start + 4] as number, bytes.readUInt32BE(start + 5), payload);
      start = end;
    }
    this.#rest = start === bytes.length ? undefined : bytes.subarray(start);
  }

  #readPreface(bytes: Buffer): number {
    const length = Math.min(bytes.length, PREFACE.length);
    if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, "the connection preface is invalid");
    }
    this.#hasPreface = length === PREFACE.length;
    return this.#hasPreface ? length : 0;
  }

  #emit(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (!this.#hasSettings && type !== FrameType.SETTINGS) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, "the first frame must be SETTINGS");
    }
    this.#hasSettings = true;
    // The first bit is reserved.
    this.#handle(type, flags, streamId & 0x7fffffff, payload);
  }
}
