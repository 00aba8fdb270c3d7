import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Readable, Writable } from "node:stream";
import type { ContextValues } from "@connectrpc/connect";
import { createBodyRefusedError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import type { BodyReceiver, HttpRequest } from "../http/http-request.js";
import type { HttpHeaders, HttpResponse } from "../http/http-response.js";

/** The other end of a connection: the client, or a proxy in front of it. */
export interface Peer {
  /** IP address; empty if the connection closed before the address was read. */
  readonly address: string;
  readonly port: number | undefined;
  /** Whether the connection uses TLS. */
  readonly isEncrypted: boolean;
  /** The name in the client's verified certificate; undefined if it presented none. */
  readonly certificateName: string | undefined;
}

/** A connection, with the callbacks through which its server observes requests. A callback that throws ends only its request. */
export interface RequestConnection {
  readonly peer: Peer;
  readonly codings: readonly ContentCoding[];
  /** Called if a listener throws or a response cannot be sent. Responds or aborts. */
  onError(request: NodeRequest, error: unknown): void;
  /** Called when a piece of the body has arrived, before the receiver gets it. */
  onBodyPiece?(request: NodeRequest): void;
  /** Called when the body is complete, before `onEnd` of the receiver. */
  onBodyComplete?(request: NodeRequest): void;
  /** Called once when the whole response has been handed to Node, or the client has disconnected. */
  onComplete?(request: NodeRequest): void;
  /** Called at the end of the request, after the listener of {@link NodeRequest.onEnd}. */
  onEnd?(request: NodeRequest): void;
}

/** What a request waits for: `sender` for the client to send more of it, `reader` for the client to read the response, or the server. */
export type WaitReason = "sender" | "reader" | "server";

/** Maximum number of bytes that are passed to the receiver of a body before it reports them as consumed. */
const MAX_UNCONSUMED_BYTES = 64 * 1024;

/** The property of Node's objects that refers to their request, so that all objects can share their listeners. */
const REQUEST = Symbol("NodeRequest");

interface Owned {
  [REQUEST]: NodeRequest;
}

/**
 * A request from `node:http` or `node:http2` and its response. The listener, the handler and the endpoint use this same object.
 *
 * An exception in a listener, in a callback of the connection or in writing ends this request only; see {@link RequestConnection.onError}.
 */
export abstract class NodeRequest implements HttpRequest {
  abstract readonly httpVersion: HttpRequest["httpVersion"];
  contextValues: ContextValues | undefined = undefined;
  /** Set this for a stream of messages: the time limit of the body then applies to each pause between its pieces. */
  isOpenEnded = false;
  receivedBytes = 0;
  /** The headers from `addHeader`. */
  readonly #added: Record<string, string> = {};
  readonly #source: Readable;
  #receiver: BodyReceiver | undefined;
  #unconsumed = 0;
  #writes = 0;
  /** The status of the response; 0 before it. */
  #status = 0;
  /** Whether the whole response was handed to Node. */
  #isComplete = false;
  #isCutOff = false;
  #hasEnded = false;
  #onDrain: (() => void) | undefined;
  #onGone: (() => void) | undefined;
  #onEnd: ((status: number | undefined) => void) | undefined;

  /** @param source emits the body. The response is written to `sink`. */
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
  /** Whether a part of the body has not arrived, or has not been read. */
  abstract readonly isArriving: boolean;
  /** Whether the response headers were sent. */
  abstract readonly hasResponded: boolean;
  /** Bytes of the response that Node has not sent. */
  abstract readonly unsentBytes: number;
  /** Ends the request without completing the response. Closes the connection over HTTP/1.1; resets the stream over HTTP/2. */
  abstract abort(): void;
  /** Whether nothing can be sent anymore. */
  protected abstract readonly isDisconnected: boolean;
  /** Starts to read the body, which calls `handleData` and `handleBodyEnd`. Sends 100 (Continue) if the client expects it. */
  protected abstract readBody(): void;
  /** Sends a complete response; `content` is undefined if it has no body. If a header cannot be sent, throws before it sends anything. */
  protected abstract sendWhole(
    status: number,
    headers: HttpHeaders,
    content: string | Uint8Array | undefined,
    trailers: HttpHeaders | undefined,
  ): void;
  /** Sends the headers of a response whose body follows in pieces. */
  protected abstract sendHead(status: number, headers: HttpHeaders, hasTrailers: boolean): void;
  protected abstract sendEnd(trailers: HttpHeaders | undefined): void;
  /** Cuts off the response in a way that the client can detect, after sending the pieces written so far. */
  protected abstract cutOff(): void;

  get peer(): Peer {
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

  /** Whether the response is complete or cut off, or the client disconnected. */
  get isOver(): boolean {
    return this.#isComplete || this.#isCutOff || this.#hasEnded || this.isDisconnected;
  }

  get waitsFor(): WaitReason {
    if (this.unsentBytes > 0) return "reader";
    // Otherwise the server has not requested the body, or is processing the part of it that has arrived.
    return this.#receiver !== undefined && this.isArriving && this.#source.readableLength === 0 ? "sender" : "server";
  }

  /** A number that changes when bytes of the request or response are transferred. */
  get progress(): number {
    return this.receivedBytes + this.#writes;
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

  /** Ends the body: its receiver gets a `ConnectError` with `Code.Canceled`, and bytes that arrive later are discarded. */
  refuseBody(): void {
    this.#stopReceiving(createBodyRefusedError());
  }

  /** Reads the rest of the body and discards it: some clients read the response only after sending the body. */
  protected discardBody(_status: number): void {
    this.#source.resume();
  }

  /** Adds a header to any response that is sent later. `name` must be in lower case. */
  addHeader(name: string, value: string): void {
    this.#added[name] = value;
  }

  /**
   * Sends a complete response. Does nothing if the client disconnected or a response was sent.
   *
   * Adds `content-length`, `date` and `connection` where HTTP requires them. Over HTTP/2, a response with trailers has no `content-length`
   * and no `date`, and one without a body is a single HEADERS frame. The body is omitted for HEAD, 204 and 304.
   *
   * @throws TypeError if a header value has forbidden characters. Nothing is sent then.
   */
  respond(status: number, headers: HttpHeaders, body?: string | Uint8Array, trailers?: HttpHeaders): void {
    if (this.isOver || this.hasResponded) return;
    this.#writes++;
    this.sendWhole(status, headers, body, trailers);
    this.#complete(status);
  }

  /** Sends a response. Returns a promise for one with a streamed body; see {@link stream}. */
  send({ status, headers, ownHeaders, body, trailers }: HttpResponse): Promise<void> | undefined {
    const all = ownHeaders === undefined ? headers : { ...headers, ...ownHeaders };
    if (typeof body === "object" && Symbol.asyncIterator in body) return this.stream(status, all, body, trailers);
    this.respond(status, all, body, trailers?.());
    return undefined;
  }

  /**
   * Sends a response and streams its body. Requests each piece when the client is ready for it.
   *
   * Resolves when the response is sent, or when the client disconnects, which ends the iteration early. If the iteration throws, the
   * response is cut off in a way that the client can detect, and the promise rejects with that error.
   *
   * @param trailers called after the whole body has been sent.
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
      if (this.mayHaveBody(status)) {
        this.sendHead(status, headers, trailers !== undefined);
        this.#status = status;
        await this.#sendPieces(pieces, trailers);
      } else {
        this.sendWhole(status, headers, undefined, undefined);
        this.#complete(status);
      }
    } finally {
      await pieces.return?.();
    }
  }

  /** As {@link HttpRequest.onGone}, but replaces the previous listener. */
  onGone(listener: () => void): () => void {
    if (!this.isOver) this.#onGone = listener;
    else if (!this.#isComplete) listener();
    return () => {
      this.#onGone = undefined;
    };
  }

  /** Calls the listener once at the end of the request. The status is undefined if the client disconnected or the response was cut off. */
  onEnd(listener: (status: number | undefined) => void): void {
    this.#onEnd = listener;
  }

  /** Calls the listener of `onGone`, as if the client had disconnected, because the result is no longer needed. */
  abandon(): void {
    const onGone = this.#onGone;
    this.#onGone = undefined;
    onGone?.();
  }

  /** Reports an error that ends this request. */
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

  /** Called when the response has been sent or the client has disconnected. */
  handleClose(): void {
    this.#onDrain?.();
    this.reportEnd(this.#isComplete ? this.#status : undefined);
  }

  /** Marks the response as incomplete, although its end was handed to Node. */
  protected markIncomplete(): void {
    this.#isComplete = false;
  }

  protected reportEnd(status: number | undefined): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Each callback runs even if an earlier one throws.
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

  /** Listens to Node's objects, which belong to this request alone. The request ends when the sink closes. */
  protected listen(): void {
    (this.#source as unknown as Owned)[REQUEST] = this;
    (this.sink as unknown as Owned)[REQUEST] = this;
    this.sink.on("error", ignore).on("close", onClose);
  }

  /** Removes the references from Node's objects to this request. The objects must emit no events afterward. */
  protected unlink(): void {
    (this.#source as unknown as { [REQUEST]: undefined })[REQUEST] = undefined;
    (this.sink as unknown as { [REQUEST]: undefined })[REQUEST] = undefined;
  }

  /** Returns the headers of a response, including those from `addHeader`. */
  protected fieldsOf(headers: HttpHeaders): OutgoingHttpHeaders {
    return { ...this.#added, ...(headers as OutgoingHttpHeaders) };
  }

  /** Whether the response may have a body (RFC 9110 sections 9.3.2 and 15.3.5). */
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

  async #sendPieces(
    pieces: AsyncIterator<string | Uint8Array>,
    trailers: (() => HttpHeaders | undefined) | undefined,
  ): Promise<void> {
    try {
      for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
        if (this.isOver) return;
        this.#writes++;
        if (piece.value.length > 0 && !this.sink.write(piece.value)) await this.#drained();
        if (this.isOver) return;
      }
      if (this.isOver) return;
      this.sendEnd(trailers?.());
      this.#complete(this.#status);
    } catch (error) {
      // The iteration may fail because the client has disconnected.
      if (this.isOver) return;
      this.#isCutOff = true;
      this.cutOff();
      throw error;
    }
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

/** Returns the request that one of Node's objects belongs to. */
export function requestOf<T extends NodeRequest>(object: object): T {
  return (object as Owned)[REQUEST] as T;
}

/** The listener for `data` events of all requests. */
export function onData(this: Readable, chunk: Buffer): void {
  requestOf(this).handleData(chunk);
}

export function* headerLinesOf(headers: IncomingHttpHeaders | HttpHeaders): Iterable<readonly [string, string]> {
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === "string") yield [name, value];
    else for (const each of value ?? []) yield [name, each];
  }
}

function ignore(): void {}

function onClose(this: Writable): void {
  requestOf(this).handleClose();
}
