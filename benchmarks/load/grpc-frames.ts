// The parts of HTTP/2 (RFC 9113) and HPACK (RFC 7541) that repeated RPCs of one method need.
import type { LoadRequest } from "../workloads/workload.ts";

/** Frame types and flags: RFC 9113, section 6. */
export const HTTP2_FRAME_CODES = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  ack: 1,
  endStream: 1,
  endHeaders: 4,
} as const;

/** Length of a frame header, which contains the payload's length, the type, the flags and the stream id. */
export const FRAME_HEADER_BYTES = 9;

const MAX_WINDOW = 2 ** 31 - 1;
const DEFAULT_WINDOW = 2 ** 16 - 1;
const INITIAL_WINDOW_SIZE = 4;

/** The client's first bytes: the preface, and settings that grant the maximum window. */
export const HTTP2_CLIENT_PREFACE = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  encodeFrame(
    HTTP2_FRAME_CODES.settings,
    0,
    0,
    Buffer.concat([Buffer.from([0, INITIAL_WINDOW_SIZE]), uint32(MAX_WINDOW)]),
  ),
  encodeFrame(HTTP2_FRAME_CODES.windowUpdate, 0, 0, uint32(MAX_WINDOW - DEFAULT_WINDOW)),
]);

/** Encodes a frame: RFC 9113, section 4.1. */
export function encodeFrame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(FRAME_HEADER_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** The frames of a unary RPC, without the stream id, which differs between RPCs. */
export interface PreparedRpc {
  /** The frames of the first RPC on a connection, whose headers the server adds to its HPACK dynamic table. */
  readonly first: Frames;
  /** The frames of later RPCs, whose headers refer to the dynamic table, as those of common clients do. */
  readonly later: Frames;
}

interface Frames {
  readonly bytes: Buffer;
  readonly dataStart: number;
}

/** Prepares the frames of an RPC. All RPCs on a connection must use the same method. */
export function prepareRpc({ path, body }: LoadRequest, port: number): PreparedRpc {
  if (!(body instanceof Uint8Array)) throw new Error(`the body of ${path} is not an encoded message`);
  // The prefix of a message contains a compression flag and the message's length: gRPC's PROTOCOL-HTTP2.md.
  const data = encodeFrame(
    HTTP2_FRAME_CODES.data,
    HTTP2_FRAME_CODES.endStream,
    0,
    Buffer.concat([Buffer.alloc(1), uint32(body.length), body]),
  );
  const withHeaders = (fields: readonly Buffer[]): Frames => {
    const head = encodeFrame(
      HTTP2_FRAME_CODES.headers,
      HTTP2_FRAME_CODES.endHeaders,
      0,
      Buffer.concat([POST_OVER_HTTP, ...fields]),
    );
    return { bytes: Buffer.concat([head, data]), dataStart: head.length };
  };
  const fields = [
    indexedField(4, path),
    indexedField(1, `127.0.0.1:${port}`),
    indexedField(58, "calltrack-benchmark/1"),
    indexedField(31, "application/grpc"),
    Buffer.concat([Buffer.from([0x40]), text("te"), text("trailers")]),
  ];
  // The dynamic table follows the 61 fields of the static table, newest first: RFC 7541, section 6.1.
  const references = fields.map((_, index) => Buffer.from([0x80 | (61 + fields.length - index)]));
  return { first: withHeaders(fields), later: withHeaders(references) };
}

export function copyWithStreamId({ bytes, dataStart }: Frames, streamId: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(streamId, 5);
  copy.writeUInt32BE(streamId, dataStart + 5);
  return copy;
}

/** The indexes of `:method: POST` and `:scheme: http` in the static table: RFC 7541, appendix A. */
const POST_OVER_HTTP = Buffer.from([0x83, 0x86]);

/**
 * Encodes a header field that enters the dynamic table: RFC 7541, section 6.2.1.
 *
 * @param name the index of the field's name in the static table.
 */
function indexedField(name: number, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x40 | name]), text(value)]);
}

/** Encodes a string shorter than 127 bytes, without Huffman coding: RFC 7541, section 5.2. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
