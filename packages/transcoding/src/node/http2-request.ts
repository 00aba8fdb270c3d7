import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { HttpHeaders } from "../http/http-response.js";
import { joinFieldLines, trimFieldValues } from "./field-lines.js";
import { getNodeRequest, listHeaderLines, NodeRequest, onBodyData, type RequestConnection } from "./node-request.js";

/** Error codes of HTTP/2 (RFC 9113 section 7). */
const NO_ERROR = 0;
const INTERNAL_ERROR = 2;
const CANCEL = 8;

const END_STREAM = 1;
const NONE: HttpHeaders = Object.freeze({});
const HEADERS_ONLY = Object.freeze({ endStream: true });
/** Options for gRPC responses with trailers. The server sends no `date` header with them, because gRPC clients do not read it. */
const GRPC_WITH_TRAILERS = Object.freeze({ waitForTrailers: true, sendDate: false });
/** Options for responses with streamed bodies. With other options, Node would end the stream before a reset, and the response would look complete. */
const WITH_TRAILERS = Object.freeze({ waitForTrailers: true });

/** Limit for the rest of a request body that the server discards after it has sent the response. `MAX_DISCARD_MS` limits the time. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 5000;

/** Matches characters that a field value must not contain (RFC 9110 section 5.5). Node does not reject them over HTTP/2. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;

/** A request that `node:http2` received on a stream, and its response. */
export class Http2Request extends NodeRequest {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  /** Alternating header names and values, including pseudo-headers. As over HTTP/1.1, the whitespace around values is removed. */
  readonly rawHeaders: readonly string[];
  #trailers: HttpHeaders = NONE;
  /** The value of `receivedBytes` when the response was sent; undefined before that. */
  #discardedFrom: number | undefined;

  /** The first four arguments are those of the event `stream` of `node:http2`. */
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
    // Does not use Node's headers object if a value has spaces around it or a header has several lines, because Node keeps the spaces and drops
    // lines.
    const isPlain = this.rawHeaders === rawHeaders && Object.keys(headers).length * 2 === rawHeaders.length;
    this.#headers = isPlain ? headers : joinFieldLines(this.rawHeaders);
    this.listen();
  }

  get httpVersion(): "2.0" {
    return "2.0";
  }

  /** Returns the value of a header. For `host`, returns the pseudo-header `:authority`, which replaces Host in HTTP/2 (RFC 9113 section 8.3.1). */
  header(name: string): string | undefined {
    const value = (name === "host" ? this.#headers[":authority"] : undefined) ?? this.#headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  *headerEntries(): Iterable<readonly [string, string]> {
    const host = this.header("host");
    if (host !== undefined) yield ["host", host];
    for (const line of listHeaderLines(this.#headers)) if (!line[0].startsWith(":") && line[0] !== "host") yield line;
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
    // An empty body may have ended already, because Node ends it even if nobody reads it.
    if (stream.readableEnded) onEnd.call(stream);
    else stream.on("data", onBodyData).on("end", onEnd);
  }

  /** Sends a response without a body as a single HEADERS frame, because gRPC requires this for Trailers-Only responses. */
  protected sendWhole(
    status: number,
    headers: HttpHeaders,
    body: string | Uint8Array | undefined,
    trailers: HttpHeaders | undefined,
  ): void {
    const stream = this.#stream;
    const fields = this.#fieldsOf(status, headers);
    // Converts a string to bytes, because Node keeps the body until the client reads it, and a concatenated string would take four times the memory.
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const hasLength = bytes !== undefined && trailers === undefined && status !== 204 && status !== 304;
    if (hasLength && headers["content-length"] === undefined) fields["content-length"] = String(bytes.length);
    if (bytes === undefined || !this.mayHaveBody(status)) {
      stream.respond(fields, HEADERS_ONLY);
    } else if (trailers === undefined) {
      stream.respond(fields);
      stream.end(bytes);
    } else {
      this.#setTrailers(trailers);
      stream.on("wantTrailers", onWantTrailers);
      stream.respond(fields, isGrpc(headers) ? GRPC_WITH_TRAILERS : WITH_TRAILERS);
      stream.end(bytes);
    }
  }

  protected sendHead(status: number, headers: HttpHeaders, hasTrailers: boolean): void {
    const options = hasTrailers && isGrpc(headers) ? GRPC_WITH_TRAILERS : WITH_TRAILERS;
    this.#stream.on("wantTrailers", onWantTrailers);
    this.#stream.respond(this.#fieldsOf(status, headers), options);
  }

  protected sendEnd(trailers: HttpHeaders | undefined): void {
    if (trailers !== undefined) this.#setTrailers(trailers);
    this.#stream.end();
  }

  /** Resets the stream one turn of the event loop after the last write, because a reset drops headers and data that Node has not sent. */
  protected cutOff(): void {
    const stream = this.#stream;
    const reset = () => setImmediate(() => stream.close(INTERNAL_ERROR));
    if (stream.writableLength === 0 || stream.writableEnded) reset();
    else stream.write("", reset);
  }

  /** Discards the body up to a size and time limit, because some clients lose the response if the stream is reset while they send. */
  protected override discardBody(status: number): void {
    const stream = this.#stream;
    this.#discardedFrom = this.receivedBytes;
    if (stream.listenerCount("data") === 0) stream.on("data", onBodyData);
    stream.resume();
    const timer = setTimeout(() => this.#stopSender(), MAX_DISCARD_MS).unref();
    stream.once("close", () => clearTimeout(timer));
    // Ends the request only after Node has sent the complete response, so that the time limit for slow readers applies until then. Node would not
    // reset the stream earlier either.
    if (this.unsentBytes === 0) this.reportEnd(status);
    else stream.once("finish", () => this.reportEnd(status));
  }

  override handleData(chunk: Buffer): void {
    super.handleData(chunk);
    if (this.#discardedFrom !== undefined && this.receivedBytes - this.#discardedFrom > MAX_DISCARDED_BYTES) {
      this.#stopSender();
    }
  }

  /**
   * Ends the request, and removes the stream's reference to it. Otherwise the request would stay in memory, because Node keeps closed streams until
   * the next full garbage collection.
   */
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

  /** Tells the client to stop sending its body, because the response is complete (RFC 9113 section 8.1). */
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

function isGrpc(headers: HttpHeaders): boolean {
  return String(headers["content-type"]).startsWith("application/grpc");
}

function requireSendable(name: string, value: unknown): void {
  if (FORBIDDEN.test(String(value)))
    throw new TypeError(
      `The value of the header ${name} must not contain control characters or characters beyond U+00FF.`,
    );
}

/** The requests whose bodies have ended in this turn of the event loop. */
let ended: Http2Request[] = [];

/**
 * Handles the end of the body later in the same turn of the event loop, together with the ends of other bodies. When a client resets a stream, Node
 * ends the body just before it marks the stream as closed. The reset is therefore not detectable at once. Requests that arrived together are then
 * handled together, so that they can share database statements.
 */
function onEnd(this: ServerHttp2Stream): void {
  if (ended.push(getNodeRequest<Http2Request>(this)) === 1) setImmediate(completeBodies);
}

function completeBodies(): void {
  const requests = ended;
  ended = [];
  for (const request of requests) request.handleBodyEnd();
}

function onWantTrailers(this: ServerHttp2Stream): void {
  getNodeRequest<Http2Request>(this).sendTrailers();
}
