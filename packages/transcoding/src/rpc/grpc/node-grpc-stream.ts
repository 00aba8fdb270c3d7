import type {
  Http2SecureServer,
  Http2Server,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from "node:http2";
import type { GrpcHandler } from "./grpc-handler.js";
import type { GrpcReceiver, GrpcStream } from "./grpc-stream.js";

// RFC 9113 section 7.
const NO_ERROR = 0;

/** A stream of `node:http2`. */
export class NodeGrpcStream implements GrpcStream {
  readonly headers: IncomingHttpHeaders;
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.headers = headers;
    this.#stream = stream;
  }

  get isClosed(): boolean {
    return this.#stream.closed;
  }

  receive(receiver: GrpcReceiver): void {
    const stream = this.#stream;
    // What fails of a stream is that its client has gone away.
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => receiver.onData(chunk));
    // Of a stream that is reset, Node says that it has ended.
    stream.once("end", () => stream.aborted || receiver.onEnd());
    stream.once("aborted", () => receiver.onClose());
    stream.once("close", () => receiver.onClose());
  }

  /** Node does that by itself. */
  consume(): void {}

  answer(
    headers: readonly string[],
    body: Uint8Array,
    trailers: readonly string[],
    ownHeaders: readonly string[] = [],
  ): void {
    const stream = this.#stream;
    stream.once("wantTrailers", () => {
      stream.sendTrailers(toNodeHeaders(trailers));
      this.#stopSending();
    });
    stream.respond(toNodeHeaders([...headers, ...ownHeaders]), { waitForTrailers: true });
    stream.end(body);
  }

  sendHeaders(headers: readonly string[]): void {
    this.#stream.respond(toNodeHeaders(headers), { endStream: true });
    this.#stopSending();
  }

  reset(code: number): void {
    this.#stream.close(code);
  }

  /** Tells a client that still sends to stop, as the response is whole (RFC 9113 section 8.1). */
  #stopSending(): void {
    const stream = this.#stream;
    if (stream.readableEnded) return;
    setImmediate(() => {
      stream.close(NO_ERROR);
      // What has come already is read to nowhere: Node keeps the stream until then.
      stream.resume();
    });
  }
}

function toNodeHeaders(fields: readonly string[]): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const before = headers[name];
    headers[name] = before === undefined ? (fields[at + 1] as string) : [before, fields[at + 1] as string].flat();
  }
  return headers;
}

/** Has a server of `node:http2` answer calls; its other streams go to the listeners that it has by then. */
export function handleNodeStreams(server: Http2Server | Http2SecureServer, handle: GrpcHandler): void {
  const others = server.listeners("stream");
  server.removeAllListeners("stream");
  server.on("stream", (stream, headers, ...rest) => {
    if (handle(new NodeGrpcStream(stream, headers))) return;
    for (const listener of others) listener.call(server, stream, headers, ...rest);
  });
}
