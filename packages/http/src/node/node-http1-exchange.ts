import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { BodyRefusedError } from "../body-refused-error.js";
import type { Peer } from "../exchange.js";
import { NodeExchange, type PartialBodyListener } from "./node-exchange.js";

/** After the response, the rest of a body is read slowly: 64 KiB per interval. */
const DISCARD_INTERVAL_MS = 20;
/** Time for a client that is still sending a refused body to read the response before the connection closes. */
const LINGER_MS = 1000;

/** An exchange of Node's HTTP/1.1 server. */
export class NodeHttp1Exchange extends NodeExchange {
  declare readonly request: IncomingMessage;
  declare readonly response: ServerResponse;
  /** Whether the connection closes after this response. Set it if no more requests can be read. */
  isLast = false;
  readonly #onPartialBody: PartialBodyListener;
  /** Infinity for a body of unknown length. */
  readonly #contentLength: number;
  #isRefused = false;
  #isPaced = false;

  constructor(request: IncomingMessage, response: ServerResponse, peer: Peer, onPartialBody: PartialBodyListener) {
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    const contentLength = coding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY;
    super(request, response, peer, contentLength > 0);
    this.#contentLength = contentLength;
    this.#onPartialBody = onPartialBody;
    if (contentLength > 0) this.#watchPieces();
  }

  get httpVersion(): "1.0" | "1.1" {
    return this.request.httpVersion === "1.0" ? "1.0" : "1.1";
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return this.request.headers;
  }

  get progress(): number | undefined {
    const { request, response } = this;
    const { socket } = response;
    const isStillArriving = !request.complete && request.readableLength === 0;
    if (this.isOver || socket === null || socket.writableLength > 0 || isStillArriving) return undefined;
    return socket.bytesRead + socket.bytesWritten;
  }

  abort(): void {
    this.response.destroy();
  }

  /** Closes the connection. The missing last chunk tells the client that the response is incomplete. */
  protected cutOff(): void {
    const { response } = this;
    response.flushHeaders();
    // Node may buffer the last write until the next turn of the event loop.
    setImmediate(() => response.socket?.destroySoon());
  }

  /** Ends the body with an error for its readers. Discards the bytes that still arrive. */
  override refuseRest(): void {
    const { request } = this;
    if (request.readableEnded || this.#isRefused) return;
    this.#isRefused = true;
    // Unread bytes would stay in memory as long as the request.
    request.read();
    // By default, destroying the request would destroy the socket, which the response still needs.
    request._destroy = (error, callback) => callback(error);
    request.on("error", () => {}).destroy(new BodyRefusedError());
    super.refuseRest();
    this.#readOn();
  }

  protected get isDisconnected(): boolean {
    return this.response.destroyed;
  }

  /** Closes the connection after giving the client time to read the response (RFC 9112 section 9.6). */
  protected respondEarly(status: number, headers: OutgoingHttpHeaders, content: string | Uint8Array): void {
    const { request, response } = this;
    this.writeHead(status, { ...headers, connection: "close" });
    if (this.isLast) {
      response.end(content);
      return;
    }
    response.write(content);
    const close = () => {
      clearTimeout(timer);
      response.end();
    };
    const timer = setTimeout(close, LINGER_MS);
    request.socket.once("close", close);
    if (!this.#isRefused) request.once("close", close);
    request.removeAllListeners("data").resume();
  }

  protected override writeHead(status: number, headers: OutgoingHttpHeaders): void {
    super.writeHead(status, this.isLast ? { ...headers, connection: "close" } : headers);
  }

  /** Intercepts the pieces of the body, which Node's parser passes to `push`. The parser pauses the connection if `push` returns false. */
  #watchPieces(): void {
    const { request } = this;
    const { push } = request;
    request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      if (chunk !== null) this.#receivePart(chunk.length);
      if (!this.#isRefused) return push.call(request, chunk, encoding) && !this.#isPaced;
      if (chunk !== null) this.#readOn();
      return false;
    };
  }

  #receivePart(bytes: number): void {
    this.receivedBytes += bytes;
    if (this.receivedBytes >= this.#contentLength || this.#isRefused) return;
    if (!this.#isPaced) this.#pace();
    this.#onPartialBody(this);
  }

  /** Reads at most one piece per turn of the event loop, so that a fast sender does not delay other connections. */
  #pace(): void {
    const { request } = this;
    const { _read: read } = request;
    this.#isPaced = true;
    request._read = (size) => {
      const readOn = () => {
        // Node detaches the socket from a destroyed request, and reading it would throw.
        if (!request.complete && request.socket !== null) read.call(request, size);
      };
      if (this.response.headersSent) setTimeout(readOn, DISCARD_INTERVAL_MS);
      else setImmediate(readOn);
    };
  }

  /** Reads more of a refused body to discard it: some clients read the response only after sending the body. */
  #readOn(): void {
    const { socket } = this.request;
    setTimeout(() => socket.resume(), DISCARD_INTERVAL_MS);
  }
}
