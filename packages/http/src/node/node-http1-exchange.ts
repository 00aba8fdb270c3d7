import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { BodyRefusedError } from "../body/body-refused-error.js";
import type { Peer } from "../exchange.js";
import { NodeExchange, type PartialBodyListener } from "./node-exchange.js";

/** The rest of a body whose response was sent is read slowly, 64 KiB at a time: nobody waits for it. */
const DISCARD_INTERVAL_MS = 20;
/** How long a client that is still sending a refused body has to read its response before the connection is closed. */
const LINGER_MS = 1000;

/** An exchange of Node's HTTP/1.1 server. */
export class NodeHttp1Exchange extends NodeExchange {
  declare readonly request: IncomingMessage;
  declare readonly response: ServerResponse;
  /** Set it for the last response of a connection whose requests can no longer be read. */
  isLast = false;
  readonly #onPart: PartialBodyListener | undefined;
  /** Infinite if it is not told. */
  readonly #contentLength: number;
  #receivedBytes = 0;
  #isRefused = false;
  #isPaced = false;

  constructor(request: IncomingMessage, response: ServerResponse, peer: Peer, onPart?: PartialBodyListener) {
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    const contentLength = coding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY;
    super(request, response, peer, contentLength > 0);
    this.#contentLength = contentLength;
    this.#onPart = onPart;
    if (contentLength > 0) this.#watchPieces();
  }

  get httpVersion(): "1.0" | "1.1" {
    return this.request.httpVersion === "1.0" ? "1.0" : "1.1";
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return this.request.headers;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
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

  /** Closes the connection without the last chunk, which tells the client that the response is not complete. */
  cut(): void {
    const { response } = this;
    response.flushHeaders();
    // Node may hold what was written back until the next turn.
    setImmediate(() => response.socket?.destroySoon());
  }

  /** Ends the body with an error for whoever reads it; what still arrives is discarded. */
  override refuseRest(): void {
    const { request } = this;
    if (request.readableEnded || this.#isRefused) return;
    this.#isRefused = true;
    // Bytes that nobody has read would be kept as long as the request.
    request.read();
    // The response still needs the connection.
    request._destroy = (error, callback) => callback(error);
    request.on("error", () => {}).destroy(new BodyRefusedError());
    super.refuseRest();
    this.#readOn();
  }

  protected get isDisconnected(): boolean {
    return this.response.destroyed;
  }

  /** The connection closes, though not before the client could read the response (RFC 9112 section 9.6). */
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

  /** Every piece of a body comes through here, from Node's parser, which pauses the connection where this returns false. */
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
    this.#receivedBytes += bytes;
    if (this.#receivedBytes >= this.#contentLength || this.#isRefused) return;
    if (!this.#isPaced) this.#pace();
    this.#onPart?.(this);
  }

  /** From here on one piece is read in each turn of the event loop: otherwise a connection that sends much delays the others. */
  #pace(): void {
    const { request } = this;
    const { _read: read } = request;
    this.#isPaced = true;
    request._read = (size) => {
      const readOn = () => {
        // Node takes the socket from a request that is destroyed, and would throw here.
        if (!request.complete && request.socket !== null) read.call(request, size);
      };
      if (this.response.headersSent) setTimeout(readOn, DISCARD_INTERVAL_MS);
      else setImmediate(readOn);
    };
  }

  /** Reads more of a refused body, to discard it: a client that is busy sending sees the response only then. */
  #readOn(): void {
    const { socket } = this.request;
    setTimeout(() => socket.resume(), DISCARD_INTERVAL_MS);
  }
}
