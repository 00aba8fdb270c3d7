import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { BaseExchange } from "../base-exchange.js";
import { BodyRefusedError } from "../body-refused-error.js";
import { countFields } from "../count-fields.js";
import type { BodyReceiver, Exchange, ExchangeHandler, HttpHeaders, Peer } from "../exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";

/** A request of `node:http`, or of the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** A response of `node:http`, or of the compatibility API of `node:http2`. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Options of Node's servers for both HTTP versions. */
export interface NodeServerOptions {
  readonly handler: ExchangeHandler;
  readonly limits: HttpLimits;
  readonly onPartialBody: PartialBodyListener;
}

/** Called whenever a part of a body has arrived that does not complete it. */
export type PartialBodyListener = (exchange: NodeExchange) => void;

/** Maximum bytes of a body that are passed to the receiver before it reports them as consumed. */
const MAX_UNCONSUMED_BYTES = 64 * 1024;
/** Maximum length of a refused body that is read and discarded, which is cheaper than a new connection. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const EMPTY: Buffer = Buffer.alloc(0);

/** An exchange on a `node:http` or `node:http2` server. `request` and `response` can be passed to any listener for those servers. */
export abstract class NodeExchange extends BaseExchange implements Exchange {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly method: string;
  readonly target: string;
  readonly peer: Peer;
  readonly hasBody: boolean;
  isOpenEnded = false;
  receivedBytes = 0;
  #receiver: BodyReceiver | undefined;
  #unconsumed = 0;
  #isComplete = false;
  #onDrain: (() => void) | undefined;

  constructor(request: NodeRequest, response: NodeResponse, peer: Peer, hasBody: boolean) {
    super();
    this.request = request;
    this.response = response;
    this.method = request.method ?? "";
    this.target = request.url ?? "";
    this.peer = peer;
    this.hasBody = hasBody;
    response.once("close", this.#onClosed);
    // A reset with NO_ERROR emits "aborted", but not "close", while an HTTP/2 stream has data to write.
    request.once("aborted", this.#onClosed);
  }

  abstract readonly httpVersion: "1.0" | "1.1" | "2.0";
  abstract readonly headers: Readonly<IncomingHttpHeaders>;
  abstract readonly progress: number | undefined;

  /** Closes the connection or resets the stream at once. */
  abstract abort(): void;
  /** Whether nothing more can be sent. */
  protected abstract readonly isDisconnected: boolean;
  /** Sends a complete response to a client that is still sending a body. The rest of the body is not read. */
  protected abstract respondEarly(status: number, headers: OutgoingHttpHeaders, content: string | Uint8Array): void;

  get body(): Buffer | undefined {
    return this.hasBody ? undefined : EMPTY;
  }

  get hasResponded(): boolean {
    return this.response.headersSent;
  }

  get isOver(): boolean {
    return this.hasEnded || this.#isComplete || this.response.writableEnded || this.isDisconnected;
  }

  isRepeated(name: string): boolean {
    return countFields(this.request.rawHeaders, name) > 1;
  }

  receive(receiver: BodyReceiver): void {
    const { request } = this;
    if (!this.hasBody) {
      receiver.onEnd();
      return;
    }
    if (this.hasEnded || request.errored) {
      receiver.onAbort(request.errored ?? undefined);
      return;
    }
    this.#receiver = this.contain(receiver);
    request.on("data", this.#onData).once("end", this.#onBodyEnd);
    request.once("error", this.#onBodyError).once("close", this.#onBodyEnd);
  }

  consume(bytes: number): void {
    this.#unconsumed -= bytes;
    if (this.#unconsumed < MAX_UNCONSUMED_BYTES && this.request.isPaused()) this.request.resume();
  }

  addHeader(name: string, value: string): void {
    this.response.appendHeader(name, value);
  }

  respond(status: number, headers: HttpHeaders, body?: string | Uint8Array, trailers?: HttpHeaders): void {
    if (this.isOver || this.hasResponded) return;
    const { response } = this;
    const sendsBody = this.mayHaveBody(status);
    const hasTrailers = trailers !== undefined && sendsBody && Object.keys(trailers).length > 0;
    const sent = { ...headers } as OutgoingHttpHeaders;
    // Trailers require chunked encoding over HTTP/1.1.
    const needsLength = !hasTrailers && this.needsLength(status, headers);
    if (needsLength) sent["content-length"] = body === undefined ? 0 : Buffer.byteLength(body);
    const content = sendsBody && body !== undefined ? body : "";
    if (this.#isStillSending()) {
      this.respondEarly(status, sent, content);
    } else {
      this.writeHead(status, sent);
      if (hasTrailers) response.addTrailers(trailers as OutgoingHttpHeaders);
      if (content.length === 0) response.end();
      else response.end(content);
    }
    this.#isComplete = true;
    this.#stopReceiving();
  }

  /** Ends the body with a `BodyRefusedError`, for its receiver and for readers of the raw request. */
  refuseRest(): void {
    this.#stopReceiving(new BodyRefusedError());
  }

  protected writePiece(piece: string | Uint8Array): Promise<void> | undefined {
    const response = this.response as ServerResponse;
    if (piece.length === 0 || response.write(piece)) return undefined;
    if (this.isDisconnected) return undefined;
    return new Promise((resolve) => {
      this.#onDrain = resolve;
      response.once("drain", resolve);
    });
  }

  protected finish(trailers: HttpHeaders | undefined): void {
    const { response } = this;
    if (trailers !== undefined) response.addTrailers(trailers as OutgoingHttpHeaders);
    response.end();
    this.#isComplete = true;
    this.#stopReceiving();
  }

  /**
   * Sends the response headers.
   *
   * @throws TypeError if a header value has forbidden characters. The response has none of the headers then.
   */
  protected writeHead(status: number, headers: OutgoingHttpHeaders): void {
    const response = this.response as ServerResponse;
    try {
      response.writeHead(status, headers);
    } catch (error) {
      if (!response.headersSent) for (const name of Object.keys(headers)) response.removeHeader(name);
      throw error;
    }
  }

  protected begin(status: number, headers: HttpHeaders): "body" | "complete" | "over" {
    if (this.isOver || this.hasResponded) return "over";
    this.writeHead(status, { ...headers } as OutgoingHttpHeaders);
    if (!this.mayHaveBody(status)) return "complete";
    if ("flushHeaders" in this.response) this.response.flushHeaders();
    return "body";
  }

  /** Whether the client is still sending a body that is too large to read and discard. */
  #isStillSending(): boolean {
    if (!this.hasBody || this.request.complete) return false;
    return !(Number(this.headers["content-length"]) <= MAX_DISCARDED_BYTES);
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#unconsumed += chunk.length;
    if (this.#unconsumed >= MAX_UNCONSUMED_BYTES) this.request.pause();
    this.#receiver?.onData(chunk);
  };

  /** Handles the end of complete and aborted bodies: Node also emits "end" when a stream is reset. */
  readonly #onBodyEnd = (): void => {
    const receiver = this.#receiver;
    const isComplete = this.request.complete && !this.request.aborted;
    this.#receiver = undefined;
    if (isComplete) receiver?.onEnd();
    else receiver?.onAbort(undefined);
  };

  readonly #onBodyError = (error: Error): void => {
    this.#stopReceiving(error instanceof BodyRefusedError ? error : undefined);
  };

  /** Discards the rest of the body. It is still read, because some clients read the response only after sending the body. */
  #stopReceiving(error?: Error): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    this.request.off("data", this.#onData);
    if (receiver === undefined) return;
    receiver.onAbort(error);
    this.request.resume();
  }

  readonly #onClosed = (): void => {
    if (this.hasEnded) return;
    const isComplete = this.#isComplete || this.response.writableEnded;
    this.reportEnd(isComplete ? this.response.statusCode : undefined);
    this.#onDrain?.();
    this.#stopReceiving();
  };
}
