import type { BodyReceiver } from "../exchange.js";
import { ErrorCode, StreamError } from "./http2-error.js";
import { ReceiveWindow } from "./receive-window.js";

/** Maximum bytes of a body that a client may send before the server consumes them. */
export const STREAM_WINDOW_BYTES = 256 * 1024;

const DISCARDING_RECEIVER: BodyReceiver = { onData() {}, onEnd() {}, onAbort() {} };

/** The body of a request as it arrives on a stream. A client that exceeds the window of the stream or content-length gets an error. */
export class RequestBody {
  readonly #window = new ReceiveWindow(STREAM_WINDOW_BYTES);
  readonly #contentLength: number | undefined;
  #receiver: BodyReceiver | undefined;
  /** Pieces that arrived before the receiver was set. */
  readonly #pendingChunks: Buffer[] = [];
  #received = 0;
  #unconsumed = 0;
  #isComplete: boolean;

  /** @throws StreamError if the request ended with its headers, although it has a content-length. */
  constructor(contentLength: number | undefined, isComplete: boolean) {
    if (isComplete && contentLength) throw lengthError();
    this.#contentLength = contentLength;
    this.#isComplete = isComplete;
  }

  /** Whether all of it has arrived: half-closed (remote) in RFC 9113. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Number of bytes received so far. */
  get received(): number {
    return this.#received;
  }

  /** Bytes that were received but not consumed. */
  get unconsumed(): number {
    return this.#unconsumed;
  }

  /** Passes the body to the receiver, including the pieces received so far. */
  receive(receiver: BodyReceiver): void {
    this.#receiver = receiver;
    // The receiver may close the stream, which replaces it.
    for (const chunk of this.#pendingChunks.splice(0)) this.#receiver.onData(chunk);
    if (this.#isComplete) this.#receiver.onEnd();
  }

  /**
   * Counts the bytes of a DATA frame. Call it before adding its content.
   *
   * @param bytes length of the content.
   * @param length length of the frame with padding, which counts against the window.
   * @throws StreamError if the body is complete, or the frame exceeds the window or content-length.
   */
  count(bytes: number, length: number): void {
    // Counted first, so that closing the stream after an error returns the bytes to the connection's window.
    this.#unconsumed += length;
    if (this.#isComplete) throw new StreamError(ErrorCode.STREAM_CLOSED, "DATA after END_STREAM");
    if (!this.#window.receive(length))
      throw new StreamError(ErrorCode.FLOW_CONTROL_ERROR, "DATA exceeds the flow-control window of the stream");
    this.#received += bytes;
    if (this.#contentLength !== undefined && this.#received > this.#contentLength) throw lengthError();
  }

  /** Adds a piece that was counted. */
  add(content: Buffer): void {
    if (this.#receiver === undefined) this.#pendingChunks.push(content);
    else this.#receiver.onData(content);
  }

  /** Completes the body. Throws a `StreamError` if its length differs from content-length. */
  complete(): void {
    if (this.#contentLength !== undefined && this.#received !== this.#contentLength) throw lengthError();
    this.#isComplete = true;
    this.#receiver?.onEnd();
  }

  /** Counts consumed bytes. Returns the increment of the stream's window to send; 0 for none. */
  consume(bytes: number): number {
    this.#unconsumed -= bytes;
    return this.#isComplete ? 0 : this.#window.consume(bytes);
  }

  /** Ends the body for its receiver and drops pieces that still arrive. Does nothing if the body is complete. */
  abort(error: Error | undefined): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#isComplete) return;
    this.#receiver = DISCARDING_RECEIVER;
    receiver.onAbort(error);
  }

  /** Ends the body because its stream is closed. Drops all pieces that were not passed on. */
  close(): void {
    this.abort(undefined);
    this.#receiver = DISCARDING_RECEIVER;
    this.#pendingChunks.length = 0;
  }
}

function lengthError(): StreamError {
  return new StreamError(ErrorCode.PROTOCOL_ERROR, "the length of the body differs from content-length");
}
