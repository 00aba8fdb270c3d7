import type { BodyReceiver } from "../exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";
import { ProgressTimeout } from "../limits/progress-timeout.js";
import type { UnfinishedBody } from "./discarded-bodies.js";
import { FrameType, MAX_FRAME_BYTES, MAX_UINT31 } from "./frame.js";
import type { FrameSender } from "./frame-sender.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { ErrorCode, StreamError } from "./http2-error.js";
import { ReceiveWindow } from "./receive-window.js";
import type { RequestHead } from "./request-head.js";

/** Maximum bytes of a body that a client may send before the server consumes them. */
export const STREAM_WINDOW_BYTES = 256 * 1024;

/** Observes a stream. */
export interface StreamObserver {
  /** The stream closed: the response is complete, or one side reset the stream. */
  onStreamClosed(): void;
}

/** The connection of a stream. */
export interface StreamOwner {
  /** Widens the connection's window by consumed bytes of a body. */
  consume(bytes: number): void;
  /** Discards the rest of a body after its complete response. */
  discard(streamId: number, body: UnfinishedBody): void;
  /** Sends RST_STREAM. `isOpen` is whether the client may still be sending on the stream. */
  sendReset(streamId: number, code: number, isOpen: boolean): void;
  /** Removes a closed stream, and widens the connection's window by the unconsumed bytes of its body. */
  removeStream(stream: Http2Stream, unconsumed: number): void;
}

/** Unsent bytes of a response body. */
interface Outgoing {
  readonly bytes: Uint8Array;
  readonly onSent: (() => void) | undefined;
}

/** The server side of an HTTP/2 stream: a request and its response (RFC 9113 section 5). */
export class Http2Stream {
  readonly id: number;
  readonly head: RequestHead;
  /** Notified when the stream closes. */
  observer: StreamObserver | undefined;
  /** Whether the request ended with its headers, so that it has no body. */
  readonly endAfterHeaders: boolean;
  /** Whether the body timeout applies to each pause between pieces of the body, instead of the whole body. */
  isOpenEnded = false;
  readonly #owner: StreamOwner;
  readonly #sender: FrameSender;
  readonly #contentLength: number | undefined;
  #receiver: BodyReceiver | undefined;
  /** Pieces of the body that arrived before the receiver was set. */
  #pendingChunks: Buffer[] = [];
  #received = 0;
  readonly #receiveWindow = new ReceiveWindow(STREAM_WINDOW_BYTES);
  #unconsumed = 0;
  #sendWindow: number;
  #queue: Outgoing[] = [];
  #offset = 0;
  #sent = 0;
  #hasResponded = false;
  /** Created at the first check, because most streams end before it. */
  #timeouts: { readonly body: ProgressTimeout; readonly sending: ProgressTimeout } | undefined;
  /** How the response ends: "open" if not known yet, "end" after the queued data, or with trailers. */
  #ending: "open" | "end" | HeaderFields = "open";
  #isRequestComplete: boolean;
  #isResponseComplete = false;
  #isClosed = false;

  constructor(
    owner: StreamOwner,
    sender: FrameSender,
    id: number,
    head: RequestHead,
    endStream: boolean,
    sendWindow: number,
  ) {
    this.#owner = owner;
    this.#sender = sender;
    this.id = id;
    this.head = head;
    this.endAfterHeaders = endStream;
    this.#contentLength = head.contentLength;
    this.#isRequestComplete = endStream;
    this.#sendWindow = sendWindow;
    if (endStream && head.contentLength) throw this.#contentLengthError();
  }

  /** Whether the request was received completely: half-closed (remote) in RFC 9113. */
  get isRequestComplete(): boolean {
    return this.#isRequestComplete;
  }

  /** Number of bytes of the body received so far. */
  get receivedBytes(): number {
    return this.#received;
  }

  /** Whether the response was sent completely: half-closed (local) in RFC 9113. */
  get isResponseComplete(): boolean {
    return this.#isResponseComplete;
  }

  /** Whether nothing more can be sent or received. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Passes the body to the receiver, including the pieces received so far. */
  receive(receiver: BodyReceiver): void {
    if (this.#isClosed) {
      receiver.onAbort(undefined);
      return;
    }
    this.#receiver = receiver;
    for (const chunk of this.#pendingChunks.splice(0)) if (!this.isClosed) receiver.onData(chunk);
    if (this.#isRequestComplete && !this.isClosed) receiver.onEnd();
  }

  /** Ends the body for its receiver and drops pieces that still arrive. Does nothing if the body is complete. */
  abortBody(error: Error | undefined): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#isRequestComplete) return;
    this.#receiver = DISCARDING_RECEIVER;
    receiver.onAbort(error);
  }

  /** Widens the windows by consumed bytes of the body, so that the client may send as many more. */
  consume(bytes: number): void {
    if (this.isClosed) return;
    this.#unconsumed -= bytes;
    this.#owner.consume(bytes);
    if (this.#isRequestComplete) return;
    const increment = this.#receiveWindow.consume(bytes);
    if (increment > 0) this.#sender.sendUint32(FrameType.WINDOW_UPDATE, this.id, increment);
  }

  /** Sends the headers of the response, or of an informational response (1xx). */
  sendHeaders(fields: HeaderFields, endStream = false): void {
    if (this.isClosed) return;
    this.#hasResponded ||= !isInformational(fields);
    this.#sender.sendHeaders(this.id, fields, endStream);
    if (endStream) this.#completeResponse();
  }

  /** Sends bytes of the body, subject to flow control. Calls `onSent` when all are sent, or when the stream closes. */
  sendData(bytes: Uint8Array, onSent?: () => void): void {
    if (this.isClosed || this.#ending !== "open") {
      onSent?.();
      return;
    }
    this.#queue.push({ bytes, onSent });
    this.#sender.pump(this);
  }

  /** Ends the response after the queued data, with optional trailers. */
  end(trailers?: HeaderFields): void {
    if (this.isClosed || this.#ending !== "open") return;
    this.#ending = trailers ?? "end";
    this.#sender.pump(this);
  }

  /**
   * Sends a complete response. Each connection caches the encoding of frozen lists.
   *
   * @param trailers undefined for none.
   * @param ownHeaders headers specific to this response; they follow `headers`.
   * @throws TypeError if a field has forbidden characters. Nothing is sent then.
   */
  respond(
    headers: HeaderFields,
    body: Uint8Array,
    trailers: HeaderFields | undefined,
    ownHeaders: HeaderFields = NO_FIELDS,
  ): void {
    if (this.isClosed) return;
    this.#sender.requireSendable(headers);
    this.#sender.requireSendable(ownHeaders);
    if (trailers !== undefined) this.#sender.requireSendable(trailers);
    if (body.length <= this.#sendWindow && this.#sender.sendResponse(this.id, headers, ownHeaders, body, trailers)) {
      this.#completeResponse();
      return;
    }
    const isComplete = body.length === 0 && trailers === undefined;
    this.sendHeaders([...headers, ...ownHeaders], isComplete);
    if (isComplete) return;
    this.sendData(body);
    this.end(trailers);
  }

  /** Resets the stream. */
  reset(code: number): void {
    if (this.isClosed) return;
    this.#owner.sendReset(this.id, code, !this.#isRequestComplete);
    this.close();
  }

  // Called by the connection.

  /**
   * Receives the content of a DATA frame.
   *
   * @param length length of the frame with padding, which counts against the window.
   * @throws StreamError if the stream has ended, or the frame exceeds the window or content-length.
   */
  receiveData(content: Buffer, length: number, endStream: boolean): void {
    // Counted first, so that closing the stream after an error returns the bytes to the connection's window.
    this.#unconsumed += length;
    if (this.#isRequestComplete) throw new StreamError(ErrorCode.STREAM_CLOSED, "DATA after END_STREAM");
    if (!this.#receiveWindow.receive(length))
      throw new StreamError(ErrorCode.FLOW_CONTROL_ERROR, "DATA exceeds the flow-control window of the stream");
    this.#received += content.length;
    if (length > content.length) this.consume(length - content.length);
    if (this.#contentLength !== undefined && this.#received > this.#contentLength) throw this.#contentLengthError();
    if (content.length > 0) {
      if (this.#receiver === undefined) this.#pendingChunks.push(content);
      else this.#receiver.onData(content);
    }
    if (endStream) this.receiveEnd();
  }

  /** Receives the end of the body. Throws a `StreamError` if its length differs from content-length. */
  receiveEnd(): void {
    if (this.isClosed) return;
    if (this.#contentLength !== undefined && this.#received !== this.#contentLength) throw this.#contentLengthError();
    this.#isRequestComplete = true;
    this.#receiver?.onEnd();
  }

  /** Adjusts the send window. Returns false if it exceeds the maximum window size. */
  adjustSendWindow(increment: number): boolean {
    this.#sendWindow += increment;
    return this.#sendWindow <= MAX_UINT31;
  }

  /** Sends as much queued data as flow control permits. The `onSent` callbacks may send more, on any stream. */
  pump(): void {
    while (!this.isClosed && this.#queue.length > 0) {
      const { bytes, onSent } = this.#queue[0] as Outgoing;
      const sendableBytes = Math.min(Math.max(this.#sendWindow, 0), this.#sender.sendableBytes, MAX_FRAME_BYTES);
      const length = Math.min(bytes.length - this.#offset, sendableBytes);
      if (length === 0 && bytes.length > this.#offset) return;
      const piece = bytes.subarray(this.#offset, this.#offset + length);
      const isLast = this.#offset + length === bytes.length;
      const endStream = isLast && this.#queue.length === 1 && this.#ending === "end";
      this.#sendWindow -= length;
      this.#sent += length;
      this.#offset = isLast ? 0 : this.#offset + length;
      if (isLast) this.#queue.shift();
      if (length > 0 || endStream) this.#sender.sendData(this.id, piece, endStream, isLast);
      if (endStream) this.#completeResponse();
      if (isLast) onSent?.();
    }
    if (!this.isClosed && this.#ending !== "open") this.#sendEnd(this.#ending);
  }

  /** Whether queued data waits for flow-control window or for the client to read. */
  get isBlocked(): boolean {
    return this.#queue.length > 0 && !this.isClosed;
  }

  /** Queued bytes of the response body. */
  get unsentBytes(): number {
    return this.#queue.reduce((sum, { bytes }) => sum + bytes.length, -this.#offset);
  }

  /**
   * A number that changes when bytes are received or sent. Undefined while the stream waits for the client to send its body or to widen
   * the windows.
   */
  get progress(): number | undefined {
    const isWaitingForClient = this.isBlocked || (!this.#isRequestComplete && this.#unconsumed === 0);
    return isWaitingForClient ? undefined : this.#received + this.#sent;
  }

  /** Whether the response headers were sent. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /** The timeout that has expired: that for receiving the body or for sending the response. Call it periodically. */
  findExpiredTimeout(limits: HttpLimits, now: number): "body" | "sending" | undefined {
    this.#timeouts ??= {
      body: new ProgressTimeout(limits.bodyTimeoutMs),
      sending: new ProgressTimeout(limits.sendTimeoutMs),
    };
    const received = this.isOpenEnded ? this.#received : 0;
    if (this.#timeouts.body.hasExpired(this.#isRequestComplete ? undefined : received, now)) return "body";
    return this.#timeouts.sending.hasExpired(this.isBlocked ? this.#sent : undefined, now) ? "sending" : undefined;
  }

  /** Closes the stream without sending anything. Does nothing if it is closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#owner.removeStream(this, this.#unconsumed);
    this.#unconsumed = 0;
    const queue = this.#queue.splice(0);
    this.abortBody(undefined);
    this.observer?.onStreamClosed();
    for (const { onSent } of queue) onSent?.();
  }

  #sendEnd(ending: "end" | HeaderFields): void {
    if (ending === "end") this.#sender.sendData(this.id, EMPTY, true, true);
    else this.#sender.sendHeaders(this.id, ending, true);
    this.#completeResponse();
  }

  /** Closes the stream after the complete response. The rest of the body is discarded. */
  #completeResponse(): void {
    this.#isResponseComplete = true;
    if (!this.#isRequestComplete) {
      this.#owner.discard(this.id, {
        receiveWindow: this.#receiveWindow,
        sendWindow: this.#sendWindow,
        unconsumed: this.#unconsumed,
        remaining: this.#contentLength === undefined ? undefined : this.#contentLength - this.#received,
      });
    }
    this.close();
  }

  #contentLengthError(): StreamError {
    return new StreamError(ErrorCode.PROTOCOL_ERROR, "the length of the body differs from content-length");
  }
}

/** Whether fields begin with an informational status (1xx), which precedes the response (RFC 9110 section 15.2). */
function isInformational([, status = ""]: HeaderFields): boolean {
  return status.startsWith("1");
}

const EMPTY = new Uint8Array();
const NO_FIELDS: HeaderFields = Object.freeze([]);
const DISCARDING_RECEIVER: BodyReceiver = { onData() {}, onEnd() {}, onAbort() {} };
