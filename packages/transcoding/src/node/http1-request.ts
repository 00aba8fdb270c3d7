import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { createBodyAlreadyReadError } from "../http/body-errors.js";
import type { BodyReceiver } from "../http/http-request.js";
import type { HttpHeaders } from "../http/http-response.js";
import { getNodeRequest, listHeaderLines, NodeRequest, onBodyData, type RequestConnection } from "./node-request.js";

/** Maximum length of a rejected body that the server reads and discards. Discarding it is cheaper than a new connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;
/**
 * Time between the response and the closing of the connection, if the client is still sending a rejected body. The client can read the response in
 * this time.
 */
const LINGER_MS = 1000;

const NOT_HTTP1 =
  'a listener for node:http got an HTTP/2 request: serve it with server.on("stream", createNodeStreamHandler(handler))';

/** A request that `node:http` or `node:https` received, and its response. */
export class Http1Request extends NodeRequest {
  /** Whether the connection closes after this response. */
  isLast = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  /** Whether the client waits for 100 (Continue) before it sends the body. */
  #expectsContinue: boolean;

  /** @param expectsContinue whether `node:http` emitted the event `checkContinue` for the request. */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    connection: RequestConnection,
    expectsContinue = false,
  ) {
    const { method = "", url: target = "", headers } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    super(request, response, method, target, hasBody, connection);
    // Rejects the objects of Node's HTTP/2 compatibility API, because their body would be lost.
    if ("stream" in request) throw new TypeError(NOT_HTTP1);
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
    return listHeaderLines(this.#request.headers);
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

  /** Stops receiving the body, and closes the connection after the response, because the rest of the body may never arrive. */
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
    this.#request.on("data", onBodyData).on("end", onEnd);
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
    // A 204 has no Content-Length. The Content-Length of a 304, or of a response to HEAD, would be the length of the omitted body (RFC 9110 section
    // 8.6). Trailers require chunked encoding.
    const isUnknown = body === undefined && this.method === "HEAD";
    if (!isUnknown && !hasTrailers && status !== 204 && status !== 304 && headers["content-length"] === undefined) {
      fields["content-length"] = String(length);
    }
    // A client that got no 100 (Continue) may or may not send its body (RFC 9110 section 10.1.1), so the connection cannot be reused.
    const isCutShort = this.#isStillSending() || this.#expectsContinue;
    this.isLast ||= isCutShort;
    if (this.isLast) fields.connection = "close";
    response.writeHead(status, fields);
    if (hasTrailers) response.addTrailers(trailers as OutgoingHttpHeaders);
    const content = sendsBody ? body : undefined;
    if (isCutShort && !this.#expectsContinue) this.#linger(content);
    else if (content === undefined) response.end();
    // ASCII text has the same bytes in Latin-1 and UTF-8, and Node writes Latin-1 faster.
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

  /** Closes the connection without sending the last chunk, so that the client detects that the response is incomplete. */
  protected cutOff(): void {
    const response = this.#response;
    response.flushHeaders();
    // The response to a pipelined request has no socket until the earlier responses are complete.
    if (response.socket === null) response.once("socket", () => this.cutOff());
    // Waits, because Node may buffer the last write until the next turn of the event loop.
    else setImmediate(() => response.socket?.destroySoon());
  }

  /** Whether the client is still sending a body that is too large to read and discard. */
  #isStillSending(): boolean {
    return this.isArriving && !(Number(this.#request.headers["content-length"]) <= MAX_DISCARDED_BYTES);
  }

  /** Sends the response, and closes the connection after the client has had time to read it (RFC 9112 section 9.6). */
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
  getNodeRequest(this).handleBodyEnd();
}
