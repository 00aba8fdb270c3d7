import {
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { ErrorCode } from "./http2-error.js";
import type { Http2Stream, StreamReceiver } from "./http2-stream.js";
import { readRequestTrailers } from "./request-headers.js";

/** Handles a request as a listener of node:http2 does. */
export type RequestHandler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** The `Http2Stream.progress` of a request that {@link handleAsRequest} made. */
export function progressOfRequest({ stream }: Http2ServerRequest): number | undefined {
  return (stream as unknown as RequestStream).progress;
}

/** Hands a stream to a handler, as the request and response that node:http2 would have made of it. */
export function handleAsRequest(stream: Http2Stream, socket: Duplex, handler: RequestHandler): void {
  const requestStream = new RequestStream(stream, socket);
  const duplex = requestStream as unknown as ServerHttp2Stream;
  // The handler may change them.
  const headers: IncomingHttpHeaders = Object.assign(Object.create(null), stream.headers);
  const request = new Http2ServerRequest(duplex, headers, undefined as never, [...stream.fields]);
  const response = new Http2ServerResponse(duplex);
  const { expect } = headers;
  if (headers[":method"] === "CONNECT") answer(response, 405);
  else if (expect === undefined) handler(request, response);
  else if (expect.toLowerCase() !== "100-continue") answer(response, 417);
  else {
    requestStream.mustContinue = true;
    handler(request, response);
  }
}

/** The stream of a request that {@link handleAsRequest} has made; undefined for a request of node:http2. */
export function streamOf(request: Pick<Http2ServerRequest, "stream">): Http2Stream | undefined {
  return request.stream instanceof RequestStream ? request.stream.source : undefined;
}

function answer(response: Http2ServerResponse, status: number): void {
  response.writeHead(status);
  response.end();
}

/** A stream as node:http2 has it, as far as its requests and responses ask for it. */
class RequestStream extends Duplex implements StreamReceiver {
  readonly id: number;
  readonly headRequest: boolean;
  readonly endAfterHeaders: boolean;
  readonly session = undefined;
  readonly #stream: Http2Stream;
  readonly #socket: Duplex;
  headersSent = false;
  aborted = false;
  rstCode = 0;
  /** Whether the client waits for 100 before it sends the body: it is sent when the body is read, and not before a refusal. */
  mustContinue = false;
  #waitsForTrailers = false;
  /** Bytes that wait to be read. */
  #unread = 0;

  constructor(stream: Http2Stream, socket: Duplex) {
    super({ emitClose: true });
    this.id = stream.id;
    this.headRequest = stream.headers[":method"] === "HEAD";
    this.endAfterHeaders = stream.endAfterHeaders;
    this.#stream = stream;
    this.#socket = socket;
    // As in node:http2 it tells of the stream, and not of whether this object has emitted `close`.
    Object.defineProperty(this, "closed", { get: () => stream.isClosed });
    stream.receive(this);
  }

  /** The stream that it was made of. */
  get source(): Http2Stream {
    return this.#stream;
  }

  /** The socket of the connection that the stream is on. */
  get socket(): Duplex {
    return this.#socket;
  }

  get progress(): number | undefined {
    return this.#stream.progress;
  }

  get remoteAddress(): string | undefined {
    return (this.#socket as Socket).remoteAddress;
  }

  get remotePort(): number | undefined {
    return (this.#socket as Socket).remotePort;
  }

  respond(
    headers: OutgoingHttpHeaders,
    { endStream = false, waitForTrailers = false, sendDate = true }: RespondOptions = {},
  ): void {
    const status = Number(headers[":status"] ?? 200);
    const { ":status": _, ...rest } = headers;
    if (sendDate) rest.date ??= new Date().toUTCString();
    const hasNoBody = endStream || this.headRequest || status === 204 || status === 205 || status === 304;
    this.#stream.sendHeaders([":status", String(status), ...toFields(rest)], hasNoBody);
    this.headersSent = true;
    this.#waitsForTrailers = waitForTrailers && !hasNoBody;
    if (hasNoBody) this.end();
  }

  additionalHeaders({ ":status": status, ...rest }: OutgoingHttpHeaders): void {
    this.#stream.sendHeaders([":status", String(status), ...toFields(rest)]);
  }

  sendTrailers(headers: OutgoingHttpHeaders): void {
    const fields = toFields(headers);
    this.#stream.end(fields.length === 0 ? undefined : fields);
  }

  /** Resets the stream: with NO_ERROR when what was written has been sent. */
  close(code: number = ErrorCode.NO_ERROR): void {
    if (code !== ErrorCode.NO_ERROR) {
      this.#stream.reset(code);
    } else {
      if (!this.writableEnded) this.end();
      if (this.writableFinished) this.#stream.reset(code);
    }
  }

  setTimeout(): this {
    return this;
  }

  onData(chunk: Buffer): void {
    if (this.push(chunk)) this.#stream.consume(chunk.length);
    else this.#unread += chunk.length;
  }

  onEnd(trailers: HeaderFields | undefined): void {
    if (trailers !== undefined) this.emit("trailers", readRequestTrailers(trailers), 0, [...trailers]);
    this.push(null);
  }

  onClose(code: number): void {
    this.rstCode = code;
    // A response that was sent as a whole is not aborted, even if the client was still sending.
    if (!this.writableEnded || !this.writableFinished) {
      this.aborted = true;
      this.emit("aborted");
    }
    if (this.aborted || this.readableEnded) {
      this.destroy();
      return;
    }
    this.push(null);
    this.once("end", () => this.destroy());
    this.resume();
  }

  override _read(): void {
    if (this.mustContinue && !this.headersSent) this.additionalHeaders({ ":status": 100 });
    this.mustContinue = false;
    const bytes = this.#unread;
    this.#unread = 0;
    if (bytes > 0) this.#stream.consume(bytes);
  }

  override _write(chunk: Buffer, _: BufferEncoding, callback: () => void): void {
    if (!this.headersSent) this.respond({});
    this.#stream.sendData(chunk, callback);
  }

  override _final(callback: () => void): void {
    if (!this.headersSent) this.respond({});
    if (this.#waitsForTrailers) this.emit("wantTrailers");
    this.#stream.end();
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#stream.reset(error === null ? ErrorCode.CANCEL : ErrorCode.INTERNAL_ERROR);
    callback(null);
  }
}

interface RespondOptions {
  readonly endStream?: boolean;
  readonly waitForTrailers?: boolean;
  readonly sendDate?: boolean;
}

/** Names in lower case and values in turn; a list is a field for each. */
function toFields(headers: OutgoingHttpHeaders): string[] {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) fields.push(name.toLowerCase(), String(one));
  }
  return fields;
}
