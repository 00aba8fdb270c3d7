import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";

/** A call to send as raw HTTP/2 frames. */
export interface FramedCall {
  readonly path?: string;
  /** Headers that replace or extend the default gRPC headers. The value undefined omits a default header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The pieces of the body. Each piece is sent as a DATA frame. Default: none. */
  readonly pieces?: readonly Uint8Array[];
  /** Whether to end the body. Default: true. */
  readonly ends?: boolean;
}

export interface FramedResponse {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The trailers. For a Trailers-Only response, the same as `headers`. */
  readonly trailers: IncomingHttpHeaders;
  readonly isTrailersOnly: boolean;
  /** The error code in the server's RST_STREAM frame; 0 for none. */
  readonly resetCode: number;
}

/** A connection that sends calls as raw HTTP/2 frames, using only `node:http2`. */
export class FrameConnection {
  readonly session: ClientHttp2Session;

  constructor(url: string) {
    this.session = connect(url);
    this.session.on("error", () => {});
  }

  /** Sends the frames of a call, and returns the open stream. */
  open({
    path = "/library.v1.LibraryService/GetShelf",
    headers = {},
    pieces = [],
    ends = true,
  }: FramedCall): ClientHttp2Stream {
    const all = { ":method": "POST", ":path": path, te: "trailers", "content-type": "application/grpc", ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const stream = this.session.request(sent as never, { endStream: ends && pieces.length === 0 });
    stream.on("error", () => {});
    for (const piece of pieces) stream.write(piece);
    if (ends) stream.end();
    return stream;
  }

  async call(call: FramedCall): Promise<FramedResponse> {
    return readResponse(this.open(call));
  }
}

/** Reads the complete response on a stream. */
export async function readResponse(stream: ClientHttp2Stream): Promise<FramedResponse> {
  const chunks: Buffer[] = [];
  let headers: IncomingHttpHeaders = {};
  let trailers: IncomingHttpHeaders | undefined;
  stream.on("response", (received) => {
    headers = received;
  });
  stream.on("trailers", (received) => {
    trailers = received;
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  // Ends the request, as gRPC clients do. Otherwise, the server would reset the stream or discard further data for a while.
  stream.once("end", () => stream.end());
  await once(stream, "close");
  return {
    headers,
    body: Buffer.concat(chunks),
    trailers: trailers ?? headers,
    isTrailersOnly: trailers === undefined,
    resetCode: stream.rstCode ?? 0,
  };
}

/** Puts the gRPC prefix before an encoded message: one byte of flags, and four bytes of length. */
export function frameBytes(message: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Encodes a message and puts the gRPC prefix before it. */
export function frameMessage<D extends DescMessage>(desc: D, init: MessageInitShape<D>): Buffer {
  return frameBytes(toBinary(desc, create(desc, init)));
}

/** Splits bytes into pieces of `length` bytes. The last piece may be shorter. */
export function splitBytes(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}
