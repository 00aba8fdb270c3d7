import { Flag, FrameType } from "./frame.js";
import { removePadding, removePriority } from "./frame-payload.js";
import { type HeaderFields, HpackDecoder } from "./hpack/hpack-decoder.js";
import { excessiveLoadError, protocolError } from "./http2-error.js";

const HEADER_TABLE_BYTES = 4096;
/** Refused header lists are still decoded up to this multiple of the limit, to keep the HPACK table in sync. */
const MAX_DECODED_MULTIPLE = 4;
/** Maximum frames of a field block. Clients fill frames of 16 KiB, so legitimate blocks have far fewer. */
const MAX_BLOCK_FRAMES = 32;

/** The decoded headers or trailers of a stream. */
export interface ReceivedHeaders {
  readonly streamId: number;
  readonly endStream: boolean;
  readonly fields: HeaderFields;
  /** Whether the list exceeds the limit. `fields` has only the fields that fit then. */
  readonly isTooLarge: boolean;
}

/** Assembles the field blocks of a connection from HEADERS and CONTINUATION frames, and decodes them. */
export class HeaderReader {
  readonly #maxBlockBytes: number;
  readonly #decoder: HpackDecoder;
  #open:
    | { readonly streamId: number; readonly endStream: boolean; readonly pieces: Buffer[]; size: number }
    | undefined;

  /** @param maxBytes maximum size of a header list (RFC 9113 section 6.5.2). An encoded block may be four times as large. */
  constructor(maxBytes: number) {
    this.#maxBlockBytes = MAX_DECODED_MULTIPLE * maxBytes;
    this.#decoder = new HpackDecoder(HEADER_TABLE_BYTES, maxBytes);
  }

  /** Whether a field block is incomplete. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Throws a `ConnectionError` if a frame interrupts a field block, or is a CONTINUATION without one. */
  requireContiguous(type: number, streamId: number): void {
    const isContinued = this.#open !== undefined && this.#open.streamId === streamId;
    if (type === FrameType.CONTINUATION ? !isContinued : this.#open !== undefined) {
      throw protocolError("the frames of a field block must be contiguous");
    }
  }

  /** Reads a HEADERS frame. Returns undefined if CONTINUATION frames follow. Throws a `ConnectionError` if the frame is malformed. */
  begin(flags: number, streamId: number, payload: Buffer): ReceivedHeaders | undefined {
    const block = removePriority(flags, removePadding(flags, payload));
    const endStream = (flags & Flag.END_STREAM) !== 0;
    if ((flags & Flag.END_HEADERS) !== 0) return this.#decode(streamId, endStream, block);
    this.#open = { streamId, endStream, pieces: [Buffer.from(block)], size: block.length };
    return undefined;
  }

  /** Reads a CONTINUATION frame. Returns undefined if more follow. Throws a `ConnectionError` if the block is too large or malformed. */
  continue(flags: number, payload: Buffer): ReceivedHeaders | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    open.pieces.push(Buffer.from(payload));
    open.size += payload.length;
    if (open.size > this.#maxBlockBytes || open.pieces.length > MAX_BLOCK_FRAMES)
      throw excessiveLoadError("the field block is too large");
    if ((flags & Flag.END_HEADERS) === 0) return undefined;
    this.#open = undefined;
    return this.#decode(open.streamId, open.endStream, Buffer.concat(open.pieces));
  }

  #decode(streamId: number, endStream: boolean, block: Buffer): ReceivedHeaders {
    const fields = this.#decoder.decode(block);
    return { streamId, endStream, fields, isTooLarge: this.#decoder.isTruncated };
  }
}
