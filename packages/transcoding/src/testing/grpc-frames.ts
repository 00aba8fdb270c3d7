import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";

/** A call as it goes over the wire. */
export interface FramedCall {
  readonly path?: string;
  /** In place of those that every gRPC client sends, or beside them; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes of the body; each piece is a DATA frame of its own. Nothing is an empty body. */
  readonly pieces?: readonly Uint8Array[];
  /** False leaves the body open. Default: true. */
  readonly ends?: boolean;
}

/** What came back. */
export interface FramedAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Those of the headers where there was one frame of headers only. */
  readonly trailers: IncomingHttpHeaders;
  readonly isTrailersOnly: boolean;
  /** With what the server reset the stream; 0 if it did not. */
  readonly resetCode: number;
}

/** A connection on which calls are made of frames, by Node's HTTP/2 alone. */
export class FrameConnection implements Disposable {
  readonly session: ClientHttp2Session;

  constructor(url: string) {
    this.session = connect(url);
    this.session.on("error", () => {});
  }

  /** Sends the frames of a call, and leaves the stream to the test. */
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

  /** Makes a call and waits until its stream is closed. */
  async call(call: FramedCall): Promise<FramedAnswer> {
    return readAnswer(this.open(call));
  }

  [Symbol.dispose](): void {
    this.session.destroy();
  }
}

/** Reads all that comes back on a stream. */
export async function readAnswer(stream: ClientHttp2Stream): Promise<FramedAnswer> {
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
  // As clients of gRPC do: the server resets the stream at once, or discards what they send for a while.
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

/** A message with the prefix of gRPC: a byte of flags, and its length. */
export function frameOf(message: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** A message of a type, framed. */
export function frameMessage<D extends DescMessage>(desc: D, init: MessageInitShape<D>): Buffer {
  return frameOf(toBinary(desc, create(desc, init)));
}

/** Cuts bytes into pieces of a length. */
export function cut(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}
