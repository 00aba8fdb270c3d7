import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { createBodyAlreadyReadError } from "../http/body-errors.js";
import type { BodyReceiver } from "../http/http-request.js";
import type { HttpHeaders } from "../http/http-response.js";
import { headerLinesOf, NodeRequest, onData, type RequestConnection, requestOf } from "./node-request.js";

/** Maximum length of a rejected body that is read and discarded, which is cheaper than a new connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;
/** Time for a client that is still sending a rejected body to read the response before the connection closes. */
const LINGER_MS = 1000;

const NOT_HTTP1 =
  'a listener for node:http got an HTTP/2 request: serve it with server.on("stream", createNodeStreamHandler(handler))';

/** A request from `node:http` or `node:https` and its response. */
export class Http1Request extends NodeRequest {
  /** Whether the connection closes after this response. */
  isLast = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  #expectsContinue: boolean;

  /** @param expectsContinue whether the server received the request through the `checkContinue` event of `node:http`. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    connection: RequestConnection,
    expectsContinue = false,
  ) {
    const { method = "", url: target = "", headers } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    super(request, response, method, target, hasBody, connection);
    // Node's compatibility objects for HTTP/2 would lose the body.
    if (request.httpVersionMajor > 1) throw new TypeError(NOT_HTTP1);
    this.#request = request;
    this.#response = response;
    this.#expectsContinue = expectsContinue;
    this.listen();
  }

  get httpVersion(): "1.0" | "1.1" {
    return this.#request.httpVersion === "1.0" ? "1.0" : "1.1";
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  headerEntries(): Iterable<readonly [string, string]> {
    return headerLinesOf(this.#request.headers);
  }

  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders;
  }

  get isArriving(): boolean {
    return this.hasBody && !this.#request.complete;
  }

  get hasResponded(): boolean {
    return this.#response.headersSent;
  }

  get unsentBytes(): number {
    return this.#response.writableLength;
  }

  /** @throws ConnectError if other code in the server has already read the body. */
  override receive(receiver: BodyReceiver): void {
    if (this.hasBody && this.#request.readableEnded) throw createBodyAlreadyReadError();
    super.receive(receiver);
  }

  /** The connection closes after the response, because the rest of the body may never arrive. */
  override refuseBody(): void {
    this.isLast = true;
    super.refuseBody();
  }

  abort(): void {
    this.markIncomplete();
    this.#response.destroy();
  }

  protected get isDisconnected(): boolean {
    return this.#response.destroyed;
  }

  protected readBody(): void {
    if (this.#expectsContinue && !this.#response.headersSent) this.#response.writeContinue();
    this.#expectsContinue = false;
    this.#request.on("data", onData).on("end", onEnd);
  }

  protected sendWhole(
    status: number,
    headers: HttpHeaders,
    body: string | Uint8Array | undefined,
    trailers: HttpHeaders | undefined,
  ): void {
    const response = this.#response;
    const sendsBody = this.mayHaveBody(status);
    const hasTrailers = trailers !== undefined && sendsBody && Object.keys(trailers).length > 0;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const fields = this.fieldsOf(headers);
    // RFC 9110 section 8.6: a 204 has no length, a 304 and HEAD only that of the omitted body. Trailers require chunked encoding.
    const isUnknown = body === undefined && this.method === "HEAD";
    if (!isUnknown && !hasTrailers && status !== 204 && status !== 304 && headers["content-length"] === undefined) {
      fields["content-length"] = String(length);
    }
    // The client may or may not send a body for which it got no 100 (Continue): RFC 9110 section 10.1.1.
    const isCutShort = this.#isStillSending() || this.#expectsContinue;
    if (this.isLast || isCutShort) fields.connection = "close";
    response.writeHead(status, fields);
    if (hasTrailers) response.addTrailers(trailers as OutgoingHttpHeaders);
    const content = sendsBody ? body : undefined;
    if (isCutShort && !this.#expectsContinue) this.#linger(content);
    else if (content === undefined) response.end();
    // ASCII text has the same bytes in both encodings, and Latin-1 is faster to write.
    else if (typeof content === "string") response.end(content, length === content.length ? "latin1" : "utf8");
    else response.end(content);
  }

  protected sendHead(status: number, headers: HttpHeaders): void {
    const fields = this.fieldsOf(headers);
    if (this.isLast) fields.connection = "close";
    this.#response.writeHead(status, fields);
    this.#response.flushHeaders();
  }

  protected sendEnd(trailers: HttpHeaders | undefined): void {
    if (trailers !== undefined) this.#response.addTrailers(trailers as OutgoingHttpHeaders);
    this.#response.end();
  }

  /** Closes the connection. The client detects that the response is incomplete, because the last chunk is missing. */
  protected cutOff(): void {
    const response = this.#response;
    response.flushHeaders();
    // The response to a pipelined request gets the socket once the earlier responses are complete.
    if (response.socket === null) response.once("socket", () => this.cutOff());
    // Node may buffer the last write until the next turn of the event loop.
    else setImmediate(() => response.socket?.destroySoon());
  }

  /** Whether the client is still sending a body that is too large to read and discard. */
  #isStillSending(): boolean {
    return this.isArriving && !(Number(this.#request.headers["content-length"]) <= MAX_DISCARDED_BYTES);
  }

  /** Closes the connection after giving the client time to read the response (RFC 9112 section 9.6). */
  #linger(content: string | Uint8Array | undefined): void {
    const response = this.#response;
    if (content === undefined) response.flushHeaders();
    else response.write(content);
    const close = () => {
      clearTimeout(timer);
      response.end();
    };
    const timer = setTimeout(close, LINGER_MS);
    response.once("close", close);
    this.#request.once("end", close);
  }
}

function onEnd(this: IncomingMessage): void {
  requestOf(this).handleBodyEnd();
}
