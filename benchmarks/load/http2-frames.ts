// The subset of HTTP/2 (RFC 9113) and HPACK (RFC 7541) that repeats the same few requests.
import type { LoadRequest } from "../workloads/workload.ts";

/** Frame types and flags: RFC 9113, section 6. */
export const FRAME = {
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

/** Length of a frame header: length, type, flags and stream id. */
export const FRAME_HEAD_BYTES = 9;

const LARGEST_WINDOW = 2 ** 31 - 1;
const DEFAULT_WINDOW = 2 ** 16 - 1;
const ENABLE_PUSH = 2;
const INITIAL_WINDOW_SIZE = 4;

/** The client's first bytes: the preface, settings with the maximum window, and no push. */
export const CLIENT_PREFACE = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  frame(FRAME.settings, 0, 0, Buffer.concat([setting(ENABLE_PUSH, 0), setting(INITIAL_WINDOW_SIZE, LARGEST_WINDOW)])),
  frame(FRAME.windowUpdate, 0, 0, uint32(LARGEST_WINDOW - DEFAULT_WINDOW)),
]);

/** Encodes a frame: RFC 9113, section 4.1. */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** The frames of a request, without the stream id, which differs between requests. */
export interface RequestFrames {
  /** For the first call on a connection, whose headers enter the server's dynamic table. */
  readonly first: RequestPieces;
  /** For later calls, which refer to the dynamic table, like those of any client. */
  readonly later: RequestPieces;
}

interface RequestPieces {
  readonly bytes: Buffer;
  /** Offset of the message frame; undefined if there is none. */
  readonly dataStart: number | undefined;
}

/** Prepares the frames of a unary gRPC call, for connections on which all calls use one method. */
export function prepareCallFrames({ path, body, authorization }: LoadRequest, port: number): RequestFrames {
  if (!(body instanceof Uint8Array)) throw new Error(`the body of ${path} is not an encoded message`);
  // Each message has a prefix with a compression flag and its length: PROTOCOL-HTTP2.md of gRPC.
  const data = frame(FRAME.data, FRAME.endStream, 0, Buffer.concat([Buffer.alloc(1), uint32(body.length), body]));
  const pieces = (block: Buffer) => {
    const head = frame(FRAME.headers, FRAME.endHeaders, 0, block);
    return { bytes: Buffer.concat([head, data]), dataStart: head.length };
  };
  // With an index of a name in the static table, or 0 and the name: RFC 7541, section 6.2.1.
  const fields = [
    Buffer.concat([Buffer.from([0x40 | 4]), text(path)]),
    ...rememberedFields(port, authorization),
    Buffer.concat([Buffer.from([0x40 | 31]), text("application/grpc")]),
    Buffer.concat([Buffer.from([0x40]), text("te"), text("trailers")]),
  ];
  return {
    first: pieces(Buffer.concat([STATIC_HEADERS, ...fields])),
    later: pieces(Buffer.concat([STATIC_HEADERS, ...fields.map((_, index) => placeOf(fields.length - index))])),
  };
}

/** Prepares the frames of a JSON GET, for connections on which all requests are GETs of different paths. */
export function prepareGetFrames({ path, authorization }: LoadRequest, port: number): RequestFrames {
  const fields = [
    ...rememberedFields(port, authorization),
    Buffer.concat([Buffer.from([0x40 | 19]), text("application/json")]),
  ];
  // RFC 7541, section 6.2.2: a path that does not repeat is not indexed.
  const ownPath = Buffer.concat([Buffer.from([4]), text(path)]);
  const pieces = (remembered: readonly Buffer[]) => {
    const block = Buffer.concat([Buffer.from([0x82, 0x86]), ownPath, ...remembered]);
    return { bytes: frame(FRAME.headers, FRAME.endHeaders | FRAME.endStream, 0, block), dataStart: undefined };
  };
  return { first: pieces(fields), later: pieces(fields.map((_, index) => placeOf(fields.length - index))) };
}

/** Copies the frames of a request with a stream id. */
export function withStreamId({ bytes, dataStart }: RequestPieces, streamId: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(streamId, 5);
  if (dataStart !== undefined) copy.writeUInt32BE(streamId, dataStart + 5);
  return copy;
}

/** `:method: POST` and `:scheme: http` by their index in the static table: RFC 7541, appendix A. */
const STATIC_HEADERS = Buffer.from([0x83, 0x86]);

/** Headers of every request that enter the dynamic table. */
function rememberedFields(port: number, authorization: string | undefined): readonly Buffer[] {
  return [
    Buffer.concat([Buffer.from([0x40 | 1]), text(`127.0.0.1:${port}`)]),
    Buffer.concat([Buffer.from([0x40 | 58]), text("calltrack-benchmark/1")]),
    ...(authorization === undefined ? [] : [Buffer.concat([Buffer.from([0x40 | 23]), text(authorization)])]),
  ];
}

/** Encodes a header by its index in the dynamic table, which follows the static table, newest first: RFC 7541, section 6.1. */
function placeOf(place: number): Buffer {
  return Buffer.from([0x80 | (61 + place)]);
}

/** Encodes a string of less than 127 bytes, without Huffman coding: RFC 7541, section 5.2. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}

function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([0, id]), uint32(value)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
