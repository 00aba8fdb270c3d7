import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { HttpHeaders } from "../http/http-response.js";
import { joinFieldLines, trimFieldValues } from "./field-lines.js";
import { headerLinesOf, NodeRequest, onData, type RequestConnection, requestOf } from "./node-request.js";

/** Error codes (RFC 9113 section 7). */
const NO_ERROR = 0;
const INTERNAL_ERROR = 2;
const CANCEL = 8;

const END_STREAM = 1;
const NONE: HttpHeaders = Object.freeze({});
const HEADERS_ONLY = Object.freeze({ endStream: true });
// RPC responses have trailers, and no date.
const RPC_HEADERS_ONLY = Object.freeze({ endStream: true, sendDate: false });
const RPC_WITH_TRAILERS = Object.freeze({ waitForTrailers: true, sendDate: false });
/** Used for streamed bodies: without it, a reset would first end the stream, and the response would look complete. */
const WITH_TRAILERS = Object.freeze({ waitForTrailers: true });

/** Limits of size and time within which the server discards a body that is still arriving after the response. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 5000;

/** Characters that a field value must not have (RFC 9110 section 5.5). Node checks none of them over HTTP/2. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

/** A request on a stream of `node:http2` and its response. */
export class Http2Request extends NodeRequest {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  /** Alternating names and values, with pseudo-headers. Values have no whitespace around them, as over HTTP/1.1. */
  readonly rawHeaders: readonly string[];
  #trailers: HttpHeaders = NONE;
  /** `receivedBytes` when the response was sent; undefined before that. */
  #discardedFrom: number | undefined;

  /** Takes the arguments of the `stream` event of `node:http2`, and the connection. */
  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: readonly string[],
    connection: RequestConnection,
  ) {
    const hasBody = (flags & END_STREAM) === 0;
    super(stream, stream, headers[":method"] ?? "", headers[":path"] ?? "", hasBody, connection);
    this.#stream = stream;
    this.rawHeaders = trimFieldValues(rawHeaders);
    // Node's object has untrimmed values, and for some list fields only the first of several lines.
    const isPlain = this.rawHeaders === rawHeaders && Object.keys(headers).length * 2 === rawHeaders.length;
    this.#headers = isPlain ? headers : joinFieldLines(this.rawHeaders);
    this.listen();
  }

  get httpVersion(): "2.0" {
    return "2.0";
  }

  /** RFC 9113 section 8.3.1: the pseudo-header `:authority` replaces Host. */
  header(name: string): string | undefined {
    const value = (name === "host" ? this.#headers[":authority"] : undefined) ?? this.#headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  *headerEntries(): Iterable<readonly [string, string]> {
    const host = this.header("host");
    if (host !== undefined) yield ["host", host];
    for (const line of headerLinesOf(this.#headers)) if (!line[0].startsWith(":") && line[0] !== "host") yield line;
  }

  get isArriving(): boolean {
    return this.hasBody && !this.#stream.readableEnded;
  }

  get hasResponded(): boolean {
    return this.#stream.headersSent;
  }

  get unsentBytes(): number {
    return this.#stream.bufferSize ?? 0;
  }

  abort(): void {
    this.markIncomplete();
    this.#stream.close(CANCEL);
  }

  protected get isDisconnected(): boolean {
    return this.#stream.closed;
  }

  protected readBody(): void {
    const stream = this.#stream;
    if (this.#headers.expect !== undefined && !stream.headersSent) stream.additionalHeaders({ ":status": 100 });
    // Node ends an empty body even if nobody reads it.
    if (stream.readableEnded) onEnd.call(stream);
    else stream.on("data", onData).on("end", onEnd);
  }

  /** A response without a body is a single HEADERS frame, as gRPC's Trailers-Only responses require. */
  protected sendWhole(
    status: number,
    headers: HttpHeaders,
    body: string | Uint8Array | undefined,
    trailers: HttpHeaders | undefined,
  ): void {
    const stream = this.#stream;
    const fields = this.#fieldsOf(status, headers);
    const isRpc = trailers !== undefined;
    // Node keeps the body until the client reads it: an unflattened string would take four times the memory.
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    if (bytes !== undefined && !isRpc && status !== 204 && status !== 304 && headers["content-length"] === undefined) {
      fields["content-length"] = String(bytes.length);
    }
    if (bytes === undefined || !this.mayHaveBody(status)) {
      stream.respond(fields, isRpc ? RPC_HEADERS_ONLY : HEADERS_ONLY);
    } else if (trailers === undefined) {
      stream.respond(fields);
      stream.end(bytes);
    } else {
      this.#setTrailers(trailers);
      stream.on("wantTrailers", onWantTrailers);
      stream.respond(fields, RPC_WITH_TRAILERS);
      stream.end(bytes);
    }
  }

  protected sendHead(status: number, headers: HttpHeaders, hasTrailers: boolean): void {
    this.#stream.on("wantTrailers", onWantTrailers);
    this.#stream.respond(this.#fieldsOf(status, headers), hasTrailers ? RPC_WITH_TRAILERS : WITH_TRAILERS);
  }

  protected sendEnd(trailers: HttpHeaders | undefined): void {
    if (trailers !== undefined) this.#setTrailers(trailers);
    this.#stream.end();
  }

  /** Resets the stream one turn of the event loop after the last write, because a reset drops headers and data that Node has not sent yet. */
  protected cutOff(): void {
    const stream = this.#stream;
    const reset = () => setImmediate(() => stream.close(INTERNAL_ERROR));
    if (stream.writableLength === 0 || stream.writableEnded) reset();
    else stream.write("", reset);
  }

  /** Discards the body for a while, because some clients lose the response if the stream is reset while they send. */
  protected override discardBody(status: number): void {
    const stream = this.#stream;
    this.#discardedFrom = this.receivedBytes;
    if (stream.listenerCount("data") === 0) stream.on("data", onData);
    stream.resume();
    const timer = setTimeout(() => this.#stopSender(), MAX_DISCARD_MS).unref();
    stream.once("close", () => clearTimeout(timer));
    // While the client reads the response, the request is not over, so that the time limit for readers applies: Node would not reset the
    // stream before.
    if (this.unsentBytes === 0) this.reportEnd(status);
    else stream.once("finish", () => this.reportEnd(status));
  }

  override handleData(chunk: Buffer): void {
    super.handleData(chunk);
    if (this.#discardedFrom !== undefined && this.receivedBytes - this.#discardedFrom > MAX_DISCARDED_BYTES) {
      this.#stopSender();
    }
  }

  /** Unlinks the stream, because Node keeps a closed stream, and all objects reachable from it, until the old generation is garbage-collected. */
  override handleClose(): void {
    super.handleClose();
    this.unlink();
  }

  sendTrailers(): void {
    try {
      this.#stream.sendTrailers(this.#trailers as OutgoingHttpHeaders);
    } catch (error) {
      this.abort();
      this.fail(error);
    }
  }

  /** Tells the client to stop sending after a complete response (RFC 9113 section 8.1). */
  #stopSender(): void {
    this.#stream.close(NO_ERROR);
  }

  #setTrailers(trailers: HttpHeaders): void {
    for (const name in trailers) requireSendable(name, trailers[name]);
    this.#trailers = trailers;
  }

  #fieldsOf(status: number, headers: HttpHeaders): OutgoingHttpHeaders {
    const fields = this.fieldsOf(headers);
    fields[":status"] = status;
    for (const name in fields) requireSendable(name, fields[name]);
    return fields;
  }
}

function requireSendable(name: string, value: unknown): void {
  if (FORBIDDEN.test(String(value))) throw new TypeError(`The value of the header ${name} has forbidden characters.`);
}

/** Requests whose bodies have ended in this turn of the event loop. */
let ended: Http2Request[] = [];

/**
 * Node also ends the body of a stream that the client resets, just before it marks the stream as closed. So the end is handled later in the
 * turn of the event loop. Requests that were read together are then handled together, so that their calls can share database statements.
 */
function onEnd(this: ServerHttp2Stream): void {
  if (ended.push(requestOf<Http2Request>(this)) === 1) setImmediate(completeBodies);
}

function completeBodies(): void {
  const requests = ended;
  ended = [];
  for (const request of requests) request.handleBodyEnd();
}

function onWantTrailers(this: ServerHttp2Stream): void {
  requestOf<Http2Request>(this).sendTrailers();
}
