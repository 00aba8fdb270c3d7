import type { IncomingHttpHeaders } from "node:http";
import { BaseExchange } from "../base-exchange.js";
import { BodyRefusedError } from "../body-refused-error.js";
import { countFields } from "../count-fields.js";
import type { BodyReceiver, Exchange, HttpHeaders, Peer } from "../exchange.js";
import { httpDate } from "../http-date.js";
import { ErrorCode } from "./http2-error.js";
import type { Http2Stream, StreamObserver } from "./http2-stream.js";
import { pushField, responseFields, trailerFields } from "./response-fields.js";

const EMPTY: Buffer = Buffer.alloc(0);
const CONTINUE: readonly string[] = Object.freeze([":status", "100"]);

/** An exchange on an HTTP/2 stream. */
export class Http2Exchange extends BaseExchange implements Exchange, StreamObserver {
  readonly peer: Peer;
  isOpenEnded = false;
  readonly #stream: Http2Stream;
  /** Headers specific to this response; alternates names and values. */
  readonly #addedFields: string[] = [];
  #status = 0;

  constructor(stream: Http2Stream, peer: Peer) {
    super();
    this.#stream = stream;
    this.peer = peer;
    stream.observer = this;
  }

  get httpVersion(): "2.0" {
    return "2.0";
  }

  get method(): string {
    return this.#stream.head.method;
  }

  get target(): string {
    return this.#stream.head.path;
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return this.#stream.head.headers;
  }

  get hasBody(): boolean {
    return !this.#stream.endAfterHeaders;
  }

  get body(): Buffer | undefined {
    return this.#stream.endAfterHeaders ? EMPTY : undefined;
  }

  get receivedBytes(): number {
    return this.#stream.body.received;
  }

  get hasResponded(): boolean {
    return this.#status !== 0;
  }

  get isOver(): boolean {
    return this.#stream.isClosed;
  }

  get progress(): number | undefined {
    return this.#stream.isClosed ? undefined : this.#stream.progress;
  }

  isRepeated(name: string): boolean {
    return countFields(this.#stream.head.fields, name) > 1;
  }

  receive(receiver: BodyReceiver): void {
    const stream = this.#stream;
    if (stream.head.expect !== undefined && this.#status === 0) stream.sendHeaders(CONTINUE);
    stream.receive(this.contain(receiver));
  }

  consume(bytes: number): void {
    this.#stream.consume(bytes);
  }

  addHeader(name: string, value: string): void {
    pushField(this.#addedFields, name, value);
  }

  respond(status: number, headers: HttpHeaders, body?: string | Uint8Array, trailers?: HttpHeaders): void {
    if (!this.#canRespond()) return;
    const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? EMPTY);
    const sendsBody = this.mayHaveBody(status);
    const fields = responseFields(status, headers);
    const tail = sendsBody ? trailerFields(trailers) : undefined;
    if (trailers === undefined) this.#addLength(status, headers, bytes.length);
    // The stream may close during the call, which reports this status to the listener.
    this.#status = status;
    this.#stream.respond(fields, sendsBody ? bytes : EMPTY, tail, this.#addedFields);
  }

  abort(): void {
    if (!this.isOver) this.#stream.reset(ErrorCode.CANCEL);
  }

  /** Ends the body with a `BodyRefusedError` for its receiver. */
  refuseRest(): void {
    this.#stream.body.abort(new BodyRefusedError());
  }

  onStreamClosed(isComplete: boolean): void {
    this.reportEnd(isComplete ? this.#status : undefined);
  }

  protected writePiece(piece: string | Uint8Array): Promise<void> | undefined {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    if (bytes.length === 0) return undefined;
    return new Promise((resolve) => this.#stream.sendData(bytes, resolve));
  }

  protected finish(trailers: HttpHeaders | undefined): void {
    this.#stream.end(trailerFields(trailers));
  }

  protected cutOff(): void {
    if (!this.isOver) this.#stream.reset(ErrorCode.INTERNAL_ERROR);
  }

  #canRespond(): boolean {
    return this.#status === 0 && !this.#stream.isClosed;
  }

  protected begin(status: number, headers: HttpHeaders, hasTrailers: boolean): "body" | "complete" | "over" {
    if (!this.#canRespond()) return "over";
    const isComplete = !this.mayHaveBody(status);
    const date = hasTrailers ? [] : ["date", httpDate()];
    const fields = [...responseFields(status, headers), ...this.#addedFields, ...date];
    this.#status = status;
    this.#stream.sendHeaders(fields, isComplete);
    return isComplete ? "complete" : "body";
  }

  /** Adds `date` and `content-length`. */
  #addLength(status: number, headers: HttpHeaders, length: number): void {
    this.#addedFields.push("date", httpDate());
    if (this.needsLength(status, headers)) this.#addedFields.push("content-length", String(length));
  }
}
