import type { BodyReceiver } from "../exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";
import { ProgressTimeout } from "../limits/progress-timeout.js";
import { MAX_FRAME_BYTES, MAX_UINT31 } from "./frame.js";
import type { FrameSender } from "./frame-sender.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { RequestBody } from "./request-body.js";
import type { RequestHead } from "./request-head.js";

const EMPTY = new Uint8Array();
const NO_FIELDS: HeaderFields = Object.freeze([]);

/** Observes a stream. */
export interface StreamObserver {
  /** Whether the body timeout applies to each pause between pieces of the body, instead of the whole body. */
  readonly isOpenEnded: boolean;
  /** The stream closed. `isComplete` is false if one side reset it before the response was complete. */
  onStreamClosed(isComplete: boolean): void;
}

/** The connection of a stream. */
export interface StreamOwner {
  /** Widens the connection's window by consumed bytes of a body. */
  consume(bytes: number): void;
  /** Discards what has arrived of a body after its complete response, and widens the connection's window by it. */
  discard(stream: Http2Stream): void;
  /** Sends RST_STREAM. `isOpen` is whether the client may still be sending on the stream. */
  sendReset(streamId: number, code: number, isOpen: boolean): void;
  /** Sends WINDOW_UPDATE for a stream. */
  widenWindow(streamId: number, increment: number): void;
  /** Removes a closed stream, and widens the connection's window by the unconsumed bytes of its body. */
  removeStream(stream: Http2Stream): void;
}

/** The server side of an HTTP/2 stream: a request and its response (RFC 9113 section 5). */
export class Http2Stream {
  readonly id: number;
  readonly head: RequestHead;
  readonly body: RequestBody;
  observer: StreamObserver | undefined;
  /** Whether the request ended with its headers, so that it has no body. */
  readonly endAfterHeaders: boolean;
  readonly #owner: StreamOwner;
  readonly #sender: FrameSender;
  /** Bytes that the client permits (RFC 9113 section 5.2); negative after it has reduced its initial window. */
  #sendWindow: number;
  /** Bytes of the response body that wait for the windows, and the callback for when they are sent. */
  #unsent: Uint8Array = EMPTY;
  #onSent: (() => void) | undefined;
  #sent = 0;
  #hasResponded = false;
  /** Created at the first check, because most streams end before it. */
  #timeouts: { readonly body: ProgressTimeout; readonly sending: ProgressTimeout } | undefined;
  /** How the response ends: "open" if not known yet, "end" after the unsent data, or with trailers. */
  #ending: "open" | "end" | HeaderFields = "open";
  /** "discarding" after the complete response, until the body ends: half-closed (local) in RFC 9113. */
  #state: "open" | "discarding" | "closed" = "open";

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
    this.#sendWindow = sendWindow;
  }

  /** Whether nothing more can be sent, and the rest of the body is discarded. */
  get isClosed(): boolean {
    return this.#state !== "open";
  }

  /** Passes the body to the receiver, including the pieces received so far. */
  receive(receiver: BodyReceiver): void {
    if (this.isClosed) receiver.onAbort(undefined);
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

  /**
   * Sends bytes of the body, subject to flow control. Do not send more until all of them are sent.
   *
   * @param onSent called when all are sent, or when the stream closes.
   */
  sendData(bytes: Uint8Array, onSent?: () => void): void {
    if (this.isClosed || this.#ending !== "open") {
      onSent?.();
      return;
    }
    this.#unsent = bytes;
    this.#onSent = onSent;
    this.#sender.pump(this);
  }

  /** Ends the response after the unsent data, with optional trailers. */
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
   */
  respond(
    headers: HeaderFields,
    body: Uint8Array,
    trailers: HeaderFields | undefined,
    ownHeaders: HeaderFields = NO_FIELDS,
  ): void {
    if (this.isClosed) return;
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

  /** Resets the stream, also while its body is discarded. */
  reset(code: number): void {
    if (this.#state === "closed") return;
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
    if (this.isClosed) this.#owner.discard(this);
    if (length > content.length) this.consume(length - content.length);
    if (content.length > 0) this.body.add(content);
    // The receiver may have closed the stream.
    if (endStream && this.#state !== "closed") this.completeBody();
  }

  /** Completes the body. Throws a `StreamError` if its length differs from content-length. */
  completeBody(): void {
    this.body.complete();
    if (this.#state === "discarding") this.close();
  }

  /** Adjusts the send window. Returns false if it exceeds the maximum window size. */
  adjustSendWindow(increment: number): boolean {
    this.#sendWindow += increment;
    return this.#sendWindow <= MAX_UINT31;
  }

  /** Sends as much unsent data as flow control permits. The `onSent` callback may send more, on any stream. */
  pump(): void {
    while (this.isBlocked) {
      const length = Math.min(this.#unsent.length, this.#sendWindow, this.#sender.sendableBytes, MAX_FRAME_BYTES);
      if (length <= 0) return;
      const bytes = this.#unsent.subarray(0, length);
      this.#unsent = this.#unsent.subarray(length);
      this.#sendWindow -= length;
      this.#sent += length;
      const endStream = !this.isBlocked && this.#ending === "end";
      this.#sender.sendData(this.id, bytes, endStream, !this.isBlocked);
      if (endStream) this.#completeResponse();
    }
    this.#reportSent();
    if (!this.isClosed && !this.isBlocked && this.#ending !== "open") this.#sendEnd(this.#ending);
  }

  /** Whether data waits for flow-control window or for the client to read. */
  get isBlocked(): boolean {
    return this.#unsent.length > 0;
  }

  /** Unsent bytes of the response body. */
  get unsentBytes(): number {
    return this.#unsent.length;
  }

  /**
   * A number that changes when bytes are received or sent. Undefined while the stream waits for the client to send its body or to widen
   * the windows.
   */
  get progress(): number | undefined {
    const isWaitingForClient = this.isBlocked || (!this.body.isComplete && this.body.unconsumed === 0);
    return isWaitingForClient ? undefined : this.body.received + this.#sent;
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
    const received = this.observer?.isOpenEnded ? this.body.received : 0;
    if (this.#timeouts.body.hasExpired(this.body.isComplete ? undefined : received, now)) return "body";
    return this.#timeouts.sending.hasExpired(this.isBlocked ? this.#sent : undefined, now) ? "sending" : undefined;
  }

  /** Closes the stream without sending anything. Does nothing if it is closed. */
  close(): void {
    if (this.#state === "closed") return;
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    this.#owner.removeStream(this);
    if (wasOpen) this.#reportEnd(false);
  }

  #sendEnd(ending: "end" | HeaderFields): void {
    if (ending === "end") this.#sender.sendData(this.id, EMPTY, true, true);
    else this.#sender.sendHeaders(this.id, ending, true);
    this.#completeResponse();
  }

  /** Closes the stream after the complete response, or discards the rest of the body first. */
  #completeResponse(): void {
    const isOver = this.body.isComplete;
    this.#hasResponded = true;
    this.#state = isOver ? "closed" : "discarding";
    if (isOver) this.#owner.removeStream(this);
    else this.#owner.discard(this);
    this.#reportEnd(true);
  }

  /** Drops unsent and unread data, and notifies the exchange. */
  #reportEnd(isComplete: boolean): void {
    this.#unsent = EMPTY;
    this.body.close();
    this.observer?.onStreamClosed(isComplete);
    this.#reportSent();
  }

  #reportSent(): void {
    const onSent = this.#onSent;
    this.#onSent = undefined;
    onSent?.();
  }
}

/** Whether fields begin with an informational status (1xx), which precedes the response (RFC 9110 section 15.2). */
function isInformational([, status = ""]: HeaderFields): boolean {
  return status.startsWith("1");
}
