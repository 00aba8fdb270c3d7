import { Flag, FrameType } from "./frame.js";
import { withoutPadding, withoutPriority } from "./frame-payload.js";
import { type HeaderFields, HpackDecoder } from "./hpack/hpack-decoder.js";
import { calm, protocolError } from "./http2-error.js";

const HEADER_TABLE_BYTES = 4096;
/** Even with 16 KiB in each, no more frames than these are needed. */
const MAX_FRAMES = 32;

/** The headers or trailers of a stream. */
export interface ReceivedHeaders {
  readonly streamId: number;
  readonly endStream: boolean;
  /** Undefined if the list is too large. */
  readonly fields: HeaderFields | undefined;
}

/** Puts the header blocks of a connection together, and decodes them. */
export class HeaderReader {
  readonly #maxBytes: number;
  readonly #decoder: HpackDecoder;
  #open:
    | { readonly streamId: number; readonly endStream: boolean; readonly pieces: Buffer[]; size: number }
    | undefined;

  /** @param maxBytes the greatest size of a list (RFC 9113 section 6.5.2), and of what it is encoded in. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
      throw protocolError("the frames of headers do not follow each other");
    }
  }

  /** Takes a HEADERS frame; undefined if others are to follow. Throws a `ConnectionError`. */
  begin(flags: number, streamId: number, payload: Buffer): ReceivedHeaders | undefined {
    const block = withoutPriority(flags, withoutPadding(flags, payload));
    const endStream = (flags & Flag.END_STREAM) !== 0;
    if ((flags & Flag.END_HEADERS) !== 0) return { streamId, endStream, fields: this.#decoder.decode(block) };
    this.#open = { streamId, endStream, pieces: [Buffer.from(block)], size: block.length };
    return undefined;
  }

  /** Takes a CONTINUATION frame; undefined if others are to follow. Throws a `ConnectionError`. */
  continue(flags: number, payload: Buffer): ReceivedHeaders | undefined {
    const open = this.#open;
    if (open === undefined) return undefined;
    open.pieces.push(Buffer.from(payload));
    open.size += payload.length;
    // What is not decoded would leave the table of the connection behind.
    if (open.size > this.#maxBytes || open.pieces.length > MAX_FRAMES) throw calm("headers without end");
    if ((flags & Flag.END_HEADERS) === 0) return undefined;
    this.#open = undefined;
    const fields = this.#decoder.decode(Buffer.concat(open.pieces));
    return { streamId: open.streamId, endStream: open.endStream, fields };
  }
}
