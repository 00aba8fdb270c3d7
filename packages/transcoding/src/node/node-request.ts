import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { ContextValues } from "@connectrpc/connect";
import { createBodyRejectedError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import type { BodyReceiver, HttpRequest } from "../http/http-request.js";
import type { HttpHeaders, HttpResponse } from "../http/http-response.js";

/** The other end of a connection: the client, or a proxy between client and server. */
export interface ConnectionPeer {
  /** The IP address; empty if the connection closed before the address was read. */
  readonly address: string;
  readonly port: number | undefined;
  /** Whether the connection uses TLS. */
  readonly isEncrypted: boolean;
  /** The name in the client's verified certificate; undefined if the client presented no certificate. */
  readonly certificateName: string | undefined;
}

/** A connection, with callbacks for events of its requests. If a callback throws, only the request that it was called for ends. */
export interface RequestConnection {
  readonly peer: ConnectionPeer;
  readonly codings: readonly ContentCoding[];
  /** Called if a listener throws, or if a response cannot be sent. Must send an error response or abort the request. */
  onError(request: NodeRequest, error: unknown): void;
  /** Called when a piece of the body has arrived, before the receiver gets the piece. */
  onBodyPiece?(request: NodeRequest): void;
  /** Called when the body has completely arrived, before the receiver's `onEnd`. */
  onBodyComplete?(request: NodeRequest): void;
  /** Called once, when the complete response has been handed to Node or the client has disconnected. */
  onComplete?(request: NodeRequest): void;
  /** Called when the request ends, after the listener that was passed to {@link NodeRequest.onEnd}. */
  onEnd?(request: NodeRequest): void;
}

/** The party that a request waits for: the client that sends the body (`sender`), the client that reads the response (`reader`), or the `server`. */
export type AwaitedParty = "sender" | "reader" | "server";

/** Maximum number of body bytes that a receiver has got and not yet acknowledged. At this limit, the server pauses reading the body. */
const MAX_UNCONSUMED_BYTES = 64 * 1024;

/** The property of Node's streams that refers to their NodeRequest, so that all streams can share the same listener functions. */
const REQUEST = Symbol("NodeRequest");

interface Owned {
  [REQUEST]: NodeRequest;
}

/**
 * A request from `node:http` or `node:http2`, and its response. The listener, the handler and the endpoint all use this object.
 *
 * An exception in a listener or a connection's callback, or while writing, ends only this request; see {@link RequestConnection.onError}.
 */
export abstract class NodeRequest implements HttpRequest {
  abstract readonly httpVersion: HttpRequest["httpVersion"];
  contextValues: ContextValues | undefined = undefined;
  /** Set this to true if the body is a stream of messages. Time limits for the body then apply to each pause between pieces. */
  isOpenEnded = false;
  receivedBytes = 0;
  /** The response headers that `addHeader` has added. */
  readonly #added: Record<string, string> = {};
  readonly #source: Readable;
  #receiver: BodyReceiver | undefined;
  #unconsumed = 0;
  /** The total length of the written parts of the response body. */
  #writtenLength = 0;
  /** The status of the response; 0 before the response. */
  #status = 0;
  /** Whether the complete response was handed to Node. */
  #isComplete = false;
  #isCutOff = false;
  #hasEnded = false;
  #onDrain: (() => void) | undefined;
  #onGone: (() => void) | undefined;
  #onEnd: ((status: number | undefined) => void) | undefined;

  /** @param source emits the request body. The response body is written to `sink`. */
  constructor(
    source: Readable,
    protected readonly sink: Writable,
    readonly method: string,
    readonly target: string,
    readonly hasBody: boolean,
    protected readonly connection: RequestConnection,
  ) {
    this.#source = source;
  }

  abstract header(name: string): string | undefined;
  abstract headerEntries(): Iterable<readonly [string, string]>;
  /** Alternating names and values of the headers, as received. */
  abstract readonly rawHeaders: readonly string[];
  /** Whether a part of the body has not arrived or has not been read. */
  abstract readonly isArriving: boolean;
  /** Whether the response headers were sent. */
  abstract readonly hasResponded: boolean;
  /** How many bytes of the response Node has buffered and not yet sent. */
  abstract readonly unsentBytes: number;
  /** Ends the request without completing the response. Closes the connection over HTTP/1.1, and resets the stream over HTTP/2. */
  abstract abort(): void;
  /** Whether the response can no longer be sent, because the connection or stream is closed. */
  protected abstract readonly isDisconnected: boolean;
  /** Starts to read the body, so that `handleData` and `handleBodyEnd` are called. Sends 100 (Continue) if the client expects it. */
  protected abstract readBody(): void;
  /** Sends a complete response. `content` is undefined if the response has no body. Throws before sending anything if a header cannot be sent. */
  protected abstract sendWhole(
    status: number,
    headers: HttpHeaders,
    content: string | Uint8Array | undefined,
    trailers: HttpHeaders | undefined,
  ): void;
  /** Sends the headers of a response whose body is sent later, in pieces. */
  protected abstract sendHead(status: number, headers: HttpHeaders, hasTrailers: boolean): void;
  protected abstract sendEnd(trailers: HttpHeaders | undefined): void;
  /** Sends the pieces that were written so far, and then cuts off the response in a way that the client can detect. */
  protected abstract cutOff(): void;

  get peer(): ConnectionPeer {
    return this.connection.peer;
  }

  get codings(): readonly ContentCoding[] {
    return this.connection.codings;
  }

  get origin(): string {
    return `${this.peer.isEncrypted ? "https" : "http"}://${this.header("host") ?? "localhost"}`;
  }

  isRepeated(name: string): boolean {
    const { rawHeaders } = this;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const each = rawHeaders[at] as string;
      if (each.length === name.length && each.toLowerCase() === name) count++;
    }
    return count > 1;
  }

  /** Whether the response is complete or was cut off, or whether the client has disconnected. */
  get isOver(): boolean {
    return this.#isComplete || this.#isCutOff || this.#hasEnded || this.isDisconnected;
  }

  get waitsFor(): AwaitedParty {
    if (this.unsentBytes > 0) return "reader";
    // The request waits for the server while the server has not requested the body, or while the server processes the part that has arrived.
    return this.#receiver !== undefined && this.isArriving && this.#source.readableLength === 0 ? "sender" : "server";
  }

  /**
   * A number that grows with each part of the request body that arrives, and with each part of the response body that is written. Minus `unsentBytes`,
   * it grows only when bytes are transferred.
   */
  get progress(): number {
    return this.receivedBytes + this.#writtenLength;
  }

  receive(receiver: BodyReceiver): void {
    if (!this.hasBody) {
      receiver.onEnd();
      return;
    }
    if (this.isOver) {
      receiver.onAbort(undefined);
      return;
    }
    this.#receiver = receiver;
    this.readBody();
  }

  consume(bytes: number): void {
    this.#unconsumed -= bytes;
    if (this.#unconsumed < MAX_UNCONSUMED_BYTES && this.#source.isPaused()) this.#source.resume();
  }

  /** Stops receiving the body. The receiver gets a `ConnectError` with `Code.Canceled`, and bytes that arrive later are discarded. */
  refuseBody(): void {
    this.#stopReceiving(createBodyRejectedError());
  }

  /** Reads and discards the rest of the body, because some clients read the response only after they have sent the body. */
  protected discardBody(_status: number): void {
    this.#source.resume();
  }

  /** Adds a header to the response, which must not have been sent yet. `name` must be in lower case. */
  addHeader(name: string, value: string): void {
    this.#added[name] = value;
  }

  /**
   * Sends a complete response. Does nothing if the client has disconnected or a response was already sent.
   *
   * Adds `content-length`, `date` and `connection` where HTTP requires them. Over HTTP/2, a response with trailers has no `content-length`, a gRPC
   * response with trailers has no `date`, and a response without a body is a single HEADERS frame. Omits the body for HEAD, 204 and 304.
   *
   * @throws TypeError if a header's value has forbidden characters. Nothing has been sent in this case.
   */
  respond(status: number, headers: HttpHeaders, body?: string | Uint8Array, trailers?: HttpHeaders): void {
    if (this.isOver || this.hasResponded) return;
    this.#writtenLength += body?.length ?? 0;
    this.sendWhole(status, headers, body, trailers);
    this.#complete(status);
  }

  /** Sends a response. If its body is streamed, returns a promise; see {@link stream}. */
  send({ status, headers, ownHeaders, body, trailers }: HttpResponse): Promise<void> | undefined {
    const all = ownHeaders === undefined ? headers : { ...headers, ...ownHeaders };
    if (typeof body === "object" && Symbol.asyncIterator in body) return this.stream(status, all, body, trailers);
    this.respond(status, all, body, trailers?.());
    return undefined;
  }

  /**
   * Sends a response whose body is streamed. Requests each piece from `body` when the client is ready for it.
   *
   * Resolves when the response was sent, or when the client has disconnected, which ends the iteration early. If `body` throws, cuts off the response
   * in a way that the client can detect, and rejects with the same error.
   *
   * @param trailers returns the trailers. Called after the complete body has been sent.
   */
  async stream(
    status: number,
    headers: HttpHeaders,
    body: AsyncIterable<string | Uint8Array>,
    trailers?: () => HttpHeaders | undefined,
  ): Promise<void> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      if (this.isOver || this.hasResponded) return;
      if (!this.mayHaveBody(status)) {
        this.sendWhole(status, headers, undefined, undefined);
        this.#complete(status);
        return;
      }
      this.sendHead(status, headers, trailers !== undefined);
      this.#status = status;
      for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
        if (this.isOver) return;
        this.#writtenLength += piece.value.length;
        if (piece.value.length > 0 && !this.sink.write(piece.value)) await this.#drained();
        if (this.isOver) return;
      }
      if (this.isOver) return;
      this.sendEnd(trailers?.());
      this.#complete(status);
    } catch (error) {
      if (this.#status === 0) throw error;
      // Ignores the error if the client has disconnected, because the disconnection may have caused the error.
      if (this.isOver) return;
      this.#isCutOff = true;
      this.cutOff();
      throw error;
    } finally {
      await pieces.return?.();
    }
  }

  /** Like {@link HttpRequest.onGone}, but a new listener replaces the previous one. */
  onGone(listener: () => void): () => void {
    if (!this.isOver) this.#onGone = listener;
    else if (!this.#isComplete) listener();
    return () => {
      this.#onGone = undefined;
    };
  }

  /** Calls the listener once, when the request ends. The status is undefined if the client disconnected or the response was cut off. */
  onEnd(listener: (status: number | undefined) => void): void {
    this.#onEnd = listener;
  }

  /** Calls the listener that was passed to `onGone`, as if the client had disconnected, because the response is no longer needed. */
  abandon(): void {
    const onGone = this.#onGone;
    this.#onGone = undefined;
    onGone?.();
  }

  /** Passes an error that ends this request to the connection's `onError`. */
  fail(error: unknown): void {
    try {
      this.connection.onError(this, error);
    } catch {
      this.abort();
    }
  }

  handleData(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    if (this.#receiver === undefined) return;
    this.#unconsumed += chunk.length;
    if (this.#unconsumed >= MAX_UNCONSUMED_BYTES) this.#source.pause();
    try {
      this.connection.onBodyPiece?.(this);
      this.#receiver?.onData(chunk);
    } catch (error) {
      this.fail(error);
    }
  }

  handleBodyEnd(): void {
    if (this.#receiver === undefined || this.isDisconnected) return;
    try {
      this.connection.onBodyComplete?.(this);
      const receiver = this.#receiver;
      this.#receiver = undefined;
      receiver?.onEnd();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Called when the stream is closed, because the response has been sent or the client has disconnected. */
  handleClose(): void {
    this.#onDrain?.();
    this.reportEnd(this.#isComplete ? this.#status : undefined);
  }

  /** Marks the response as incomplete, even if its end was handed to Node. */
  protected markIncomplete(): void {
    this.#isComplete = false;
  }

  protected reportEnd(status: number | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Runs each callback even if an earlier one throws.
    if (!this.#isComplete) this.#contain(() => this.connection.onComplete?.(this));
    this.#contain(() => this.#stopReceiving(undefined));
    if (status === undefined) this.#contain(() => this.abandon());
    this.#contain(() => this.#onEnd?.(status));
    this.connection.onEnd?.(this);
  }

  #contain(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Links Node's streams to this request, and listens to their events. The request ends when `sink` closes. */
  protected listen(): void {
    (this.#source as unknown as Owned)[REQUEST] = this;
    (this.sink as unknown as Owned)[REQUEST] = this;
    this.sink.on("error", ignore).on("close", onClose);
  }

  /** Removes the references from Node's streams to this request. The streams must not emit events afterward. */
  protected unlink(): void {
    (this.#source as unknown as { [REQUEST]: undefined })[REQUEST] = undefined;
    (this.sink as unknown as { [REQUEST]: undefined })[REQUEST] = undefined;
  }

  /** Returns response headers together with those that `addHeader` has added. */
  protected fieldsOf(headers: HttpHeaders): OutgoingHttpHeaders {
    return { ...this.#added, ...(headers as OutgoingHttpHeaders) };
  }

  /** Whether a response with this status to this request may have a body (RFC 9110 sections 9.3.2 and 15.3.5). */
  protected mayHaveBody(status: number): boolean {
    return status !== 204 && status !== 304 && this.method !== "HEAD";
  }

  #complete(status: number): void {
    this.#status = status;
    this.#isComplete = true;
    this.#onGone = undefined;
    this.connection.onComplete?.(this);
    this.#stopReceiving(undefined);
    if (this.isArriving) this.discardBody(status);
  }

  #drained(): Promise<void> | undefined {
    if (this.isDisconnected) return undefined;
    return new Promise((resolve) => {
      this.#onDrain = resolve;
      this.sink.once("drain", resolve);
    });
  }

  #stopReceiving(error: Error | undefined): void {
    const receiver = this.#receiver;
    if (receiver === undefined) return;
    this.#receiver = undefined;
    this.#source.resume();
    receiver.onAbort(error);
  }
}

/** Returns the NodeRequest that `listen` has linked to a stream of Node.js. */
export function getNodeRequest<T extends NodeRequest>(object: object): T {
  return (object as Owned)[REQUEST] as T;
}

/** The listener for the `data` events of the bodies of all requests. */
export function onBodyData(this: Readable, chunk: Buffer): void {
  getNodeRequest(this).handleData(chunk);
}

export function* listHeaderLines(headers: IncomingHttpHeaders | HttpHeaders): Iterable<readonly [string, string]> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string") yield [name, value];
    else for (const each of value ?? []) yield [name, each];
  }
}

function ignore(): void {}

function onClose(this: Writable): void {
  getNodeRequest(this).handleClose();
}
