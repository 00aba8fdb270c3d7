import { Flag, FrameType } from "./frame.js";
import { withoutPadding, withoutPriority } from "./frame-payload.js";
import { type HeaderFields, HpackDecoder } from "./hpack/hpack-decoder.js";
import { calm, protocolError } from "./http2-error.js";

const HEADER_TABLE_BYTES = 4096;
/** A larger list is refused but still decoded, up to this multiple: without that the connection's table would be lost. */
const MAX_DECODED_MULTIPLE = 4;
/** Clients fill frames of 16 KiB, so that a block of several has far fewer than this. */
const MAX_FRAMES = 32;

/** The headers or trailers of a stream. */
export interface ReceivedHeaders {
  readonly streamId: number;
  readonly endStream: boolean;
  readonly fields: HeaderFields;
  /** Whether the list is too large: `fields` has only those that fit. */
  readonly isTooLarge: boolean;
}

/** Puts the header blocks of a connection together, and decodes them. */
export class HeaderReader {
  readonly #maxBlockBytes: number;
  readonly #decoder: HpackDecoder;
  #open:
    | { readonly streamId: number; readonly endStream: boolean; readonly pieces: Buffer[]; size: number }
    | undefined;

  /** @param maxBytes the maximum size of a list (RFC 9113 section 6.5.2). A block may have four times as many bytes. */
  constructor(maxBytes: number) {
    this.#maxBlockBytes = MAX_DECODED_MULTIPLE * maxBytes;
    this.#decoder = new HpackDecoder(HEADER_TABLE_BYTES, maxBytes);
  }

  /** Whether a block has begun that is not whole. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Throws a `ConnectionError` for a frame that comes between those of a block, and for one that continues none. */
  requireOrder(type: number, streamId: number): void {
    const isContinued = this.#open !== undefined && this.#open.streamId === streamId;
    if (type === FrameType.CONTINUATION ? !isContinued : this.#open !== undefined) {
      throw protocolError("CONTINUATION frames must follow their HEADERS frame");
    }
  }

  /** Takes a HEADERS frame; undefined if others are to follow. Throws a `ConnectionError`. */
  begin(flags: number, streamId: number, payload: Buffer): ReceivedHeaders | undefined {
    const block = withoutPriority(flags, withoutPadding(flags, payload));
    const endStream = (flags & Flag.END_STREAM) !== 0;
    if ((flags & Flag.END_HEADERS) !== 0) return this.#decode(streamId, endStream, block);
    this.#open = { streamId, endStream, pieces: [Buffer.from(block)], size: block.length };
    return undefined;
  }

  /** Takes a CONTINUATION frame; undefined if others are to follow. Throws a `ConnectionError`. */
  continue(flags: number, payload: Buffer): ReceivedHeaders | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    open.pieces.push(Buffer.from(payload));
    open.size += payload.length;
    if (open.size > this.#maxBlockBytes || open.pieces.length > MAX_FRAMES) throw calm("the header block is too long");
    if ((flags & Flag.END_HEADERS) === 0) return undefined;
    this.#open = undefined;
    return this.#decode(open.streamId, open.endStream, Buffer.concat(open.pieces));
  }

  #decode(streamId: number, endStream: boolean, block: Buffer): ReceivedHeaders {
    const fields = this.#decoder.decode(block);
    return { streamId, endStream, fields, isTooLarge: this.#decoder.isTruncated };
  }
}
