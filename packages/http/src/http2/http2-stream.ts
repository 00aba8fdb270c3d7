import type { BodyReceiver } from "../exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";
import { ProgressTimeout } from "../limits/progress-timeout.js";
import type { RestOfStream } from "./discarded-bodies.js";
import { FrameType, MAX_FRAME_BYTES, MAX_UINT31 } from "./frame.js";
import type { FrameSender } from "./frame-sender.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { ErrorCode, StreamError } from "./http2-error.js";
import { ReceiveWindow } from "./receive-window.js";
import type { RequestHead } from "./request-headers.js";

/** How many bytes of a body a client may send before it is told that they were taken. */
export const STREAM_WINDOW = 256 * 1024;

/** Handles a stream. */
export interface StreamObserver {
  /** Nothing more can be sent or received: both sides have ended, or one of them has reset the stream. */
  onStreamClosed(): void;
}

/** What a stream asks of its connection. */
export interface StreamOwner {
  /** Takes note that bytes of a body were taken. */
  consume(bytes: number): void;
  /** Discards the rest of a body whose response is complete. */
  discard(streamId: number, rest: RestOfStream): void;
  /** Tells the client of a reset; `isOpen` is whether it may still be sending. */
  sendReset(streamId: number, code: number, isOpen: boolean): void;
  /** Lets go of a stream that is closed, of whose body so many bytes were not taken. */
  forget(stream: Http2Stream, unconsumed: number): void;
}

/** Bytes that are still to be sent. */
interface Outgoing {
  readonly bytes: Uint8Array;
  readonly onSent: (() => void) | undefined;
}

/** A request and its response on a connection (RFC 9113 section 5). */
export class Http2Stream {
  readonly id: number;
  readonly head: RequestHead;
  /** Whoever handles the stream. */
  observer: StreamObserver | undefined;
  /** Whether there is no body. */
  readonly endAfterHeaders: boolean;
  /** Whether the body may take as long as it will, if only it goes on. */
  isOpenEnded = false;
  readonly #owner: StreamOwner;
  readonly #sender: FrameSender;
  readonly #contentLength: number | undefined;
  #receiver: BodyReceiver | undefined;
  /** What came before there was a receiver. */
  #early: Buffer[] = [];
  #received = 0;
  readonly #receiveWindow = new ReceiveWindow(STREAM_WINDOW);
  #unconsumed = 0;
  #sendWindow: number;
  #queue: Outgoing[] = [];
  #offset = 0;
  #sent = 0;
  #hasResponded = false;
  /** Made for streams that last: most are over before anybody looks. */
  #stalls: { readonly body: ProgressTimeout; readonly sending: ProgressTimeout } | undefined;
  /** How the response ends: not yet, with the last bytes, or with these trailers. */
  #ending: "open" | "end" | HeaderFields = "open";
  #hasEndedRemote: boolean;
  #hasEndedLocal = false;
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
    this.#hasEndedRemote = endStream;
    this.#sendWindow = sendWindow;
    if (endStream && head.contentLength) throw this.#wrongLength();
  }

  /** Whether the body is whole. */
  get hasEndedRemote(): boolean {
    return this.#hasEndedRemote;
  }

  /** How many bytes of the body have arrived. */
  get receivedBytes(): number {
    return this.#received;
  }

  /** Whether all of the response was sent. */
  get hasEndedLocal(): boolean {
    return this.#hasEndedLocal;
  }

  /** Whether nothing more can be sent or received. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Hands over what comes in, and what has come in so far. */
  receive(receiver: BodyReceiver): void {
    if (this.#isClosed) {
      receiver.onAbort(undefined);
      return;
    }
    this.#receiver = receiver;
    for (const chunk of this.#early.splice(0)) if (!this.isClosed) receiver.onData(chunk);
    if (this.#hasEndedRemote && !this.isClosed) receiver.onEnd();
  }

  /** Tells the receiver that the rest of the body will not arrive, and drops what still arrives. Does nothing if the body is complete. */
  abortBody(error: Error | undefined): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#hasEndedRemote) return;
    this.#receiver = NOBODY;
    receiver.onAbort(error);
  }

  /** Takes note that bytes of the body were taken, so that the client may send as many more. */
  consume(bytes: number): void {
    if (this.isClosed) return;
    this.#unconsumed -= bytes;
    this.#owner.consume(bytes);
    if (this.#hasEndedRemote) return;
    const increment = this.#receiveWindow.take(bytes);
    if (increment > 0) this.#sender.sendUint32(FrameType.WINDOW_UPDATE, this.id, increment);
  }

  /** Sends headers, of the response or, with a status of 1xx, before it. */
  sendHeaders(fields: HeaderFields, endStream = false): void {
    if (this.isClosed) return;
    this.#hasResponded ||= !isInformational(fields);
    this.#sender.sendHeaders(this.id, fields, endStream);
    if (endStream) this.#endLocal();
  }

  /** Sends bytes of the body, as the client's windows allow, and calls back when they are on their way, or never will be. */
  sendData(bytes: Uint8Array, onSent?: () => void): void {
    if (this.isClosed || this.#ending !== "open") {
      onSent?.();
      return;
    }
    this.#queue.push({ bytes, onSent });
    this.#sender.pump(this);
  }

  /** Ends the response after what is still to be sent, with trailers if there are any. */
  end(trailers?: HeaderFields): void {
    if (this.isClosed || this.#ending !== "open") return;
    this.#ending = trailers ?? "end";
    this.#sender.pump(this);
  }

  /**
   * Sends a complete response. Frozen lists are encoded once a connection.
   *
   * @param trailers undefined for none.
   * @param ownHeaders follow the headers: those that no other response has.
   * @throws TypeError, having sent nothing, for headers that cannot be sent.
   */
  answer(
    headers: HeaderFields,
    body: Uint8Array,
    trailers: HeaderFields | undefined,
    ownHeaders: HeaderFields = NO_FIELDS,
  ): void {
    if (this.isClosed) return;
    this.#sender.requireAllowed(headers);
    this.#sender.requireAllowed(ownHeaders);
    if (trailers !== undefined) this.#sender.requireAllowed(trailers);
    if (body.length <= this.#sendWindow && this.#sender.sendAnswer(this.id, headers, ownHeaders, body, trailers)) {
      this.#endLocal();
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
    this.#owner.sendReset(this.id, code, !this.#hasEndedRemote);
    this.close();
  }

  // What follows is the connection's to call.

  /** Takes the bytes of a frame, of which `length` count against the window. Throws a `StreamError`. */
  takeData(content: Buffer, length: number, endStream: boolean): void {
    // To be given back to the connection when the stream is closed, whatever is wrong.
    this.#unconsumed += length;
    if (this.#hasEndedRemote) throw new StreamError(ErrorCode.STREAM_CLOSED, "the request body has already ended");
    if (!this.#receiveWindow.receive(length))
      throw new StreamError(ErrorCode.FLOW_CONTROL_ERROR, "the flow-control window is exceeded");
    this.#received += content.length;
    if (length > content.length) this.consume(length - content.length);
    if (this.#contentLength !== undefined && this.#received > this.#contentLength) throw this.#wrongLength();
    if (content.length > 0) {
      if (this.#receiver === undefined) this.#early.push(content);
      else this.#receiver.onData(content);
    }
    if (endStream) this.takeEnd();
  }

  /** Takes the end of the body. Throws a `StreamError`. */
  takeEnd(): void {
    if (this.isClosed) return;
    if (this.#contentLength !== undefined && this.#received !== this.#contentLength) throw this.#wrongLength();
    this.#hasEndedRemote = true;
    this.#receiver?.onEnd();
  }

  /** Changes the window of what may be sent; false if it is larger than a window may be. */
  grow(increment: number): boolean {
    this.#sendWindow += increment;
    return this.#sendWindow <= MAX_UINT31;
  }

  /** Sends as much as it may. What it calls back may send more, here or on another stream. */
  pump(): void {
    while (!this.isClosed && this.#queue.length > 0) {
      const { bytes, onSent } = this.#queue[0] as Outgoing;
      const allowance = Math.min(Math.max(this.#sendWindow, 0), this.#sender.allowance, MAX_FRAME_BYTES);
      const length = Math.min(bytes.length - this.#offset, allowance);
      if (length === 0 && bytes.length > this.#offset) return;
      const piece = bytes.subarray(this.#offset, this.#offset + length);
      const isLast = this.#offset + length === bytes.length;
      const endStream = isLast && this.#queue.length === 1 && this.#ending === "end";
      this.#sendWindow -= length;
      this.#sent += length;
      this.#offset = isLast ? 0 : this.#offset + length;
      if (isLast) this.#queue.shift();
      if (length > 0 || endStream) this.#sender.sendData(this.id, piece, endStream, isLast);
      if (endStream) this.#endLocal();
      if (isLast) onSent?.();
    }
    if (!this.isClosed && this.#ending !== "open") this.#sendEnd(this.#ending);
  }

  /** Whether something is to be sent that the windows or the socket hold back. */
  get isHeldBack(): boolean {
    return this.#queue.length > 0 && !this.isClosed;
  }

  /** How many bytes of the body wait to be sent. */
  get unsentBytes(): number {
    return this.#queue.reduce((sum, { bytes }) => sum + bytes.length, -this.#offset);
  }

  /**
   * A number that changes when bytes are received or sent. Undefined while the stream waits for the client: for the rest of the body, or
   * for windows that allow the response.
   */
  get progress(): number | undefined {
    const isClientsTurn = this.isHeldBack || (!this.#hasEndedRemote && this.#unconsumed === 0);
    return isClientsTurn ? undefined : this.#received + this.#sent;
  }

  /** Whether headers of a response were sent. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /** What takes longer than it may: the client to send its body, or to let the response be sent. See `ProgressTimeout`. */
  findStall(limits: HttpLimits, now: number): "body" | "sending" | undefined {
    this.#stalls ??= {
      body: new ProgressTimeout(limits.bodyTimeoutMs),
      sending: new ProgressTimeout(limits.sendTimeoutMs),
    };
    const received = this.isOpenEnded ? this.#received : 0;
    if (this.#stalls.body.isOver(this.#hasEndedRemote ? undefined : received, now)) return "body";
    return this.#stalls.sending.isOver(this.isHeldBack ? this.#sent : undefined, now) ? "sending" : undefined;
  }

  /** Ends the stream for its receiver. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#owner.forget(this, this.#unconsumed);
    this.#unconsumed = 0;
    const queue = this.#queue.splice(0);
    this.abortBody(undefined);
    this.observer?.onStreamClosed();
    for (const { onSent } of queue) onSent?.();
  }

  #sendEnd(ending: "end" | HeaderFields): void {
    if (ending === "end") this.#sender.sendData(this.id, NOTHING, true, true);
    else this.#sender.sendHeaders(this.id, ending, true);
    this.#endLocal();
  }

  /** The response is complete: the rest of the body is not read. */
  #endLocal(): void {
    this.#hasEndedLocal = true;
    if (!this.#hasEndedRemote) {
      this.#owner.discard(this.id, {
        receiveWindow: this.#receiveWindow,
        sendWindow: this.#sendWindow,
        unread: this.#unconsumed,
        missing: this.#contentLength === undefined ? undefined : this.#contentLength - this.#received,
      });
    }
    this.close();
  }

  #wrongLength(): StreamError {
    return new StreamError(ErrorCode.PROTOCOL_ERROR, "the length of the body does not match content-length");
  }
}

/** Whether fields begin with a status of 1xx, which no response ends with (RFC 9110 section 15.2). */
function isInformational([, status = ""]: HeaderFields): boolean {
  return status.startsWith("1");
}

const NOTHING = new Uint8Array();
const NO_FIELDS: HeaderFields = Object.freeze([]);
const NOBODY: BodyReceiver = { onData() {}, onEnd() {}, onAbort() {} };
