import type { BodyReceiver } from "../exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";
import { ProgressTimeout } from "../limits/progress-timeout.js";
import type { FrameSender } from "./frame-sender.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { encodeFields } from "./hpack/hpack-encoder.js";
import { RequestBody } from "./request-body.js";
import type { RequestHead } from "./request-head.js";
import { SendQueue } from "./send-queue.js";

/** Observes a stream. */
export interface StreamObserver {
  /** The stream closed: the response is complete, or one side reset the stream. */
  onStreamClosed(): void;
}

/** The connection of a stream. */
export interface StreamOwner {
  /** Widens the connection's window by consumed bytes of a body. */
  consume(bytes: number): void;
  /**
   * Discards the rest of a body after its complete response, and widens the connection's window by its unconsumed bytes.
   *
   * @param sendWindow see `SendQueue`.
   */
  discard(streamId: number, body: RequestBody, sendWindow: number): void;
  /** Sends RST_STREAM. `isOpen` is whether the client may still be sending on the stream. */
  sendReset(streamId: number, code: number, isOpen: boolean): void;
  /** Sends WINDOW_UPDATE for a stream. */
  widenWindow(streamId: number, increment: number): void;
  /** Removes a closed stream, and widens the connection's window by the unconsumed bytes of its body. */
  removeStream(stream: Http2Stream, unconsumed: number): void;
}

/** The server side of an HTTP/2 stream: a request and its response (RFC 9113 section 5). */
export class Http2Stream {
  readonly id: number;
  readonly head: RequestHead;
  readonly body: RequestBody;
  /** Notified when the stream closes. */
  observer: StreamObserver | undefined;
  /** Whether the request ended with its headers, so that it has no body. */
  readonly endAfterHeaders: boolean;
  /** Whether the body timeout applies to each pause between pieces of the body, instead of the whole body. */
  isOpenEnded = false;
  readonly #owner: StreamOwner;
  readonly #sender: FrameSender;
  readonly #queue: SendQueue;
  #hasResponded = false;
  /** Created at the first check, because most streams end before it. */
  #timeouts: { readonly body: ProgressTimeout; readonly sending: ProgressTimeout } | undefined;
  /** How the response ends: "open" if not known yet, "end" after the queued data, or with trailers. */
  #ending: "open" | "end" | HeaderFields = "open";
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
    this.body = new RequestBody(head.contentLength, endStream);
    this.#queue = new SendQueue(sendWindow);
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
    if (this.#isClosed) receiver.onAbort(undefined);
    else this.body.receive(receiver);
  }

  /** Widens the windows by consumed bytes of the body, so that the client may send as many more. */
  consume(bytes: number): void {
    if (this.isClosed) return;
    this.#owner.consume(bytes);
    const increment = this.body.consume(bytes);
    if (increment > 0) this.#owner.widenWindow(this.id, increment);
  }

  /** Sends the headers of the response, or of an informational response (1xx). */
  sendHeaders(fields: HeaderFields, endStream = false): void {
    if (this.isClosed) return;
    this.#sender.sendHeaders(this.id, fields, endStream);
    this.#hasResponded ||= !isInformational(fields);
    if (endStream) this.#completeResponse();
  }

  /** Sends bytes of the body, subject to flow control. Calls `onSent` when all are sent, or when the stream closes. */
  sendData(bytes: Uint8Array, onSent?: () => void): void {
    if (this.isClosed || this.#ending !== "open") {
      onSent?.();
      return;
    }
    this.#queue.add(bytes, onSent);
    this.#sender.pump(this);
  }

  /** Ends the response after the queued data, with optional trailers. */
  end(trailers?: HeaderFields): void {
    if (this.isClosed || this.#ending !== "open") return;
    this.#ending = trailers ?? "end";
    this.#sender.pump(this);
  }

  /**
   * Sends a complete response. The encoding of frozen lists is cached.
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
    if (body.length <= this.#queue.window && this.#sender.sendResponse(this.id, headers, ownHeaders, body, trailers)) {
      this.#completeResponse();
      return;
    }
    const isComplete = body.length === 0 && trailers === undefined;
    // Throws before anything is sent.
    if (trailers !== undefined) encodeFields(trailers);
    this.sendHeaders([...headers, ...ownHeaders], isComplete);
    if (isComplete) return;
    this.sendData(body);
    this.end(trailers);
  }

  /** Resets the stream. */
  reset(code: number): void {
    if (this.isClosed) return;
    this.#owner.sendReset(this.id, code, !this.body.isComplete);
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
    this.body.count(content.length, length);
    if (length > content.length) this.consume(length - content.length);
    if (content.length > 0) this.body.add(content);
    // The receiver may have closed the stream.
    if (endStream && !this.isClosed) this.body.complete();
  }

  /** Adjusts the send window. Returns false if it exceeds the maximum window size. */
  adjustSendWindow(increment: number): boolean {
    return this.#queue.adjustWindow(increment);
  }

  /** Sends as much queued data as flow control permits. The `onSent` callbacks may send more, on any stream. */
  pump(): void {
    while (!this.isClosed) {
      const piece = this.#queue.take(this.#sender.sendableBytes);
      if (piece === undefined) break;
      const { bytes, isLast, onSent } = piece;
      const endStream = this.#queue.isEmpty && this.#ending === "end";
      if (bytes.length > 0 || endStream) this.#sender.sendData(this.id, bytes, endStream, isLast);
      if (endStream) this.#completeResponse();
      if (isLast) onSent?.();
    }
    if (!this.isClosed && this.#queue.isEmpty && this.#ending !== "open") this.#sendEnd(this.#ending);
  }

  /** Whether queued data waits for flow-control window or for the client to read. */
  get isBlocked(): boolean {
    return !this.#queue.isEmpty && !this.isClosed;
  }

  /** Queued bytes of the response body. */
  get unsentBytes(): number {
    return this.#queue.unsent;
  }

  /**
   * A number that changes when bytes are received or sent. Undefined while the stream waits for the client to send its body or to widen
   * the windows.
   */
  get progress(): number | undefined {
    const isWaitingForClient = this.isBlocked || (!this.body.isComplete && this.body.unconsumed === 0);
    return isWaitingForClient ? undefined : this.body.received + this.#queue.sent;
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
    const received = this.isOpenEnded ? this.body.received : 0;
    if (this.#timeouts.body.hasExpired(this.body.isComplete ? undefined : received, now)) return "body";
    return this.#timeouts.sending.hasExpired(this.isBlocked ? this.#queue.sent : undefined, now)
      ? "sending"
      : undefined;
  }

  /** Closes the stream without sending anything. Does nothing if it is closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#owner.removeStream(this, this.body.unconsumed);
    const unsent = this.#queue.clear();
    this.body.close();
    this.observer?.onStreamClosed();
    for (const { onSent } of unsent) onSent?.();
  }

  #sendEnd(ending: "end" | HeaderFields): void {
    if (ending === "end") this.#sender.sendData(this.id, EMPTY, true, true);
    else this.#sender.sendHeaders(this.id, ending, true);
    this.#completeResponse();
  }

  /** Closes the stream after the complete response. The rest of the body is discarded. */
  #completeResponse(): void {
    this.#isResponseComplete = true;
    if (!this.body.isComplete) this.#owner.discard(this.id, this.body, this.#queue.window);
    this.close();
  }
}

/** Whether fields begin with an informational status (1xx), which precedes the response (RFC 9110 section 15.2). */
function isInformational([, status = ""]: HeaderFields): boolean {
  return status.startsWith("1");
}

const EMPTY = new Uint8Array();
const NO_FIELDS: HeaderFields = Object.freeze([]);
