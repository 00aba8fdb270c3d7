import { FRAME_HEAD_BYTES, FrameType, MAX_FRAME_BYTES } from "./frame.js";
import { ConnectionError, ErrorCode } from "./http2-error.js";

/** What every client sends first (RFC 9113 section 3.4). */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Takes a frame. The payload is a view that holds until the function returns, and as long as nobody writes into it. */
export type FrameHandler = (type: number, flags: number, streamId: number, payload: Buffer) => void;

/** Cuts what comes over a connection into frames: the preface, settings, and then any. */
export class FrameReader {
  readonly #handle: FrameHandler;
  #rest: Buffer | undefined;
  #hasPreface = false;
  #hasSettings = false;

  constructor(handle: FrameHandler) {
    this.#handle = handle;
  }

  /** Whether the client has begun as it must. */
  get hasBegun(): boolean {
    return this.#hasSettings;
  }

  /** Takes the next bytes and hands on every frame that is whole. Throws a `ConnectionError` for what is no frame. */
  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = this.#hasPreface ? 0 : this.#readPreface(bytes);
    while (this.#hasPreface && bytes.length - start >= FRAME_HEAD_BYTES) {
      const length = bytes.readUIntBE(start, 3);
      if (length > MAX_FRAME_BYTES) throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, "a frame is too large");
      const end = start + FRAME_HEAD_BYTES + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(start + FRAME_HEAD_BYTES, end);
      this.#hand(bytes[start + 3] as number, bytes[start + 4] as number, bytes.readUInt32BE(start + 5), payload);
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

  #hand(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (!this.#hasSettings && type !== FrameType.SETTINGS) {
      throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, "the first frame must be SETTINGS");
    }
    this.#hasSettings = true;
    // The first bit is reserved.
    this.#handle(type, flags, streamId & 0x7fffffff, payload);
  }
}
