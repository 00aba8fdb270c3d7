import type { RefusalReason } from "../exchange.js";
import type { HttpLimits } from "../limits/http-limits.js";
import { DiscardedBodies } from "./discarded-bodies.js";
import type { FloodGuard } from "./flood-guard.js";
import { Flag, FrameType } from "./frame.js";
import { removePadding } from "./frame-payload.js";
import { type FrameSender, INITIAL_WINDOW_BYTES } from "./frame-sender.js";
import type { ReceivedHeaders } from "./header-reader.js";
import { type HeaderFields, MAX_CACHED_FIELDS } from "./hpack/hpack-decoder.js";
import { ConnectionError, ErrorCode, protocolError, StreamError, windowSizeError } from "./http2-error.js";
import { Http2Stream, type StreamOwner } from "./http2-stream.js";
import { ReceiveWindow } from "./receive-window.js";
import { RecentlyClosedStreams } from "./recently-closed-streams.js";
import { type RequestHead, readRequestHead, requireRequestTrailers } from "./request-head.js";
import { StreamTable } from "./stream-table.js";

/** Maximum bytes that a client may send on all streams before the server consumes them. */
export const CONNECTION_WINDOW_BYTES = 1024 * 1024;
/** Maximum unsent response bytes of a connection. New streams are refused beyond it. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

/** Options of `ClientStreams`. */
export interface ClientStreamsOptions {
  readonly limits: HttpLimits;
  /** Handles a new stream, whose headers are complete. */
  readonly onStream: (stream: Http2Stream) => void;
  /** Responds to a stream that is refused. If its headers are too large, it has only those that fit. */
  readonly refuse: (stream: Http2Stream, reason: RefusalReason) => void;
  /** Called after each read of the socket, for every stream that received a part of its body and is not complete. */
  readonly onPartialBody: (stream: Http2Stream) => void;
}

/** The streams that the client of a connection opens: receives their frames, and obeys the rules of RFC 9113 section 5. */
export class ClientStreams implements StreamOwner {
  readonly #options: ClientStreamsOptions;
  readonly #sender: FrameSender;
  readonly #floodGuard: FloodGuard;
  readonly #onDrained: () => void;
  readonly #window = new ReceiveWindow(CONNECTION_WINDOW_BYTES);
  readonly #open = new StreamTable();
  readonly #recentlyClosed = new RecentlyClosedStreams();
  readonly #discarded: DiscardedBodies;
  /** Streams that received a part of their body, but not its end, in the current read. */
  readonly #partialBodies: Http2Stream[] = [];
  #lastHead: RequestHead | undefined;
  #lastId = 0;
  /** The last stream ids at the two most recent checks of the timeouts, the newest first. */
  #recentIds: readonly [number, number] = [0, 0];
  /** The initial send window of new streams. */
  #sendWindow = INITIAL_WINDOW_BYTES;
  #isRetired = false;

  /** @param onDrained called when the last stream of a retired connection has closed. */
  constructor(options: ClientStreamsOptions, sender: FrameSender, floodGuard: FloodGuard, onDrained: () => void) {
    this.#options = options;
    this.#sender = sender;
    this.#floodGuard = floodGuard;
    this.#onDrained = onDrained;
    this.#discarded = new DiscardedBodies(this, options.limits.bodyTimeoutMs);
  }

  /** The largest id of a stream that the client has opened; 0 before the first. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Whether the streams that the client opens from now on are ignored. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Whether all streams have ended, except for bodies that are discarded. */
  get isIdle(): boolean {
    return this.#open.size === this.#discarded.size;
  }

  /** Bytes of responses in the output buffers, or held back by flow control. */
  get unsentBytes(): number {
    let sum = this.#sender.bufferedBytes;
    if (this.#sender.hasBlockedStreams) for (const stream of this.#open.all()) sum += stream.unsentBytes;
    return sum;
  }

  /** Ignores streams that the client opens from now on, after GOAWAY. */
  retire(): void {
    this.#isRetired = true;
    this.#endIfDrained();
  }

  /** Closes all streams without sending anything. */
  closeAll(): void {
    for (const stream of this.#open.all()) stream.close();
  }

  /** Enforces the timeouts of streams. Call it periodically with the current `performance.now()`. */
  checkTimeouts(now: number): void {
    for (const stream of this.#open.all()) if (!stream.isClosed) this.#checkTimeout(stream, now);
    this.#discarded.check(now);
    this.#recentIds = [this.#lastId, this.#recentIds[0]];
  }

  /** Reports partial bodies after the whole read, so that small bodies are not reported even if END_STREAM is a separate frame. */
  reportPartialBodies(): void {
    if (this.#partialBodies.length === 0) return;
    for (const stream of this.#partialBodies) {
      if (!stream.body.isComplete && !stream.isClosed) this.#options.onPartialBody(stream);
    }
    this.#partialBodies.length = 0;
  }

  /** Receives a DATA frame. Like the methods below, it throws a `StreamError` or a `ConnectionError` if the client may not send the frame. */
  receiveData(flags: number, streamId: number, payload: Buffer): void {
    if (!this.#window.receive(payload.length)) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "DATA exceeds the flow-control window of the connection");
    }
    const content = removePadding(flags, payload);
    const endStream = (flags & Flag.END_STREAM) !== 0;
    if (content.length === 0 && !endStream) this.#floodGuard.countEmptyFrame();
    const stream = this.#open.find(streamId);
    if (stream !== undefined) {
      stream.receiveData(content, payload.length, endStream);
      if (!endStream && this.#partialBodies.at(-1) !== stream) this.#partialBodies.push(stream);
      return;
    }
    this.consume(payload.length);
    this.#requireKnown(streamId);
    // The client may have sent the frame before it received the reset.
    if (!this.#mayIgnore(streamId, endStream))
      throw new StreamError(ErrorCode.STREAM_CLOSED, "DATA on a closed stream");
  }

  /** Receives complete headers, which open a stream, or trailers. */
  receiveHeaders(headers: ReceivedHeaders): void {
    const { streamId, endStream } = headers;
    const stream = this.#open.find(streamId);
    if (stream !== undefined) {
      if (stream.body.isComplete) throw new StreamError(ErrorCode.STREAM_CLOSED, "HEADERS after END_STREAM");
      requireTrailers(headers);
      stream.completeBody();
    } else if (streamId <= this.#lastId) {
      if (this.#mayIgnore(streamId, endStream)) return;
      throw new ConnectionError(ErrorCode.STREAM_CLOSED, "HEADERS on a closed stream");
    } else if (streamId % 2 === 0) {
      throw protocolError("client stream ids must be odd");
    } else if (!this.#isRetired) {
      // After GOAWAY, new streams are ignored: its last stream id tells the client that they were not processed.
      this.#openStream(headers);
    }
  }

  /** Receives an RST_STREAM frame. */
  receiveReset(streamId: number): void {
    this.#requireKnown(streamId);
    this.#recentlyClosed.remove(streamId);
    const stream = this.#open.find(streamId);
    if (stream === undefined) this.#floodGuard.countLateReset();
    else if (this.#isEarlyReset(stream)) this.#floodGuard.countReset();
    stream?.close();
  }

  /** Receives a WINDOW_UPDATE frame of a stream. */
  receiveWindowUpdate(streamId: number, increment: number): void {
    this.#requireKnown(streamId);
    const stream = this.#open.find(streamId);
    if (stream === undefined) return;
    if (increment === 0) throw new StreamError(ErrorCode.PROTOCOL_ERROR, "the window increment is 0");
    if (!stream.adjustSendWindow(increment))
      throw new StreamError(ErrorCode.FLOW_CONTROL_ERROR, "the window exceeds 2^31 - 1");
    this.#sender.pump(stream);
  }

  /** Changes the send windows of all streams to a new initial size (RFC 9113 section 6.9.2). */
  resizeSendWindows(size: number): void {
    const change = size - this.#sendWindow;
    this.#sendWindow = size;
    for (const stream of this.#open.all()) {
      if (!stream.adjustSendWindow(change)) throw windowSizeError();
    }
  }

  /** Resets a stream after a stream error. */
  reset(streamId: number, code: number): void {
    this.#floodGuard.countReset();
    const stream = this.#open.find(streamId);
    if (stream === undefined) this.sendReset(streamId, code, true);
    else stream.reset(code);
  }

  // Called by streams and discarded bodies.

  consume(bytes: number): void {
    const increment = this.#window.consume(bytes);
    if (increment > 0) this.widenWindow(0, increment);
  }

  sendReset(streamId: number, code: number, isOpen: boolean): void {
    this.#sender.sendUint32(FrameType.RST_STREAM, streamId, code);
    if (isOpen) this.#recentlyClosed.add(streamId);
  }

  widenWindow(streamId: number, increment: number): void {
    this.#sender.sendUint32(FrameType.WINDOW_UPDATE, streamId, increment);
  }

  discard(stream: Http2Stream): void {
    this.consume(stream.body.unconsumed);
    this.#discarded.discard(stream);
    this.#endIfDrained();
  }

  removeStream(stream: Http2Stream): void {
    this.#open.remove(stream);
    if (this.#discarded.size > 0) this.#discarded.remove(stream);
    this.#sender.remove(stream);
    if (stream.body.unconsumed > 0) this.consume(stream.body.unconsumed);
    this.#endIfDrained();
  }

  #endIfDrained(): void {
    if (this.#isRetired && this.isIdle) this.#onDrained();
  }

  #openStream({ streamId, endStream, fields, isTooLarge }: ReceivedHeaders): void {
    this.#lastId = streamId;
    if (this.#open.size >= this.#options.limits.maxStreams)
      throw new StreamError(ErrorCode.REFUSED_STREAM, "too many concurrent streams");
    if (this.#sender.hasBlockedStreams && this.unsentBytes > MAX_UNSENT_BYTES)
      throw new StreamError(ErrorCode.REFUSED_STREAM, "too many unsent response bytes");
    const head = isTooLarge ? readRequestHead(fields, true) : this.#readHead(fields);
    const stream = new Http2Stream(this, this.#sender, streamId, head, endStream, this.#sendWindow);
    this.#open.add(stream);
    const { onStream, refuse } = this.#options;
    if (isTooLarge) refuse(stream, "HEADERS_TOO_LARGE");
    else if (head.hasSeveralHosts) refuse(stream, "HOST_MALFORMED");
    else onStream(stream);
  }

  #readHead(fields: HeaderFields): RequestHead {
    // Most requests of a connection have the same headers as the previous one.
    if (this.#lastHead?.fields === fields) return this.#lastHead;
    const head = readRequestHead(fields, false);
    this.#lastHead = fields.length <= MAX_CACHED_FIELDS ? head : undefined;
    return head;
  }

  #checkTimeout(stream: Http2Stream, now: number): void {
    const timeout = stream.findExpiredTimeout(this.#options.limits, now);
    if (timeout === undefined) return;
    if (timeout === "sending" || stream.hasResponded) stream.reset(ErrorCode.CANCEL);
    else this.#options.refuse(stream, "REQUEST_TIMEOUT");
  }

  /**
   * Whether a stream is reset before its response and within two checks of the timeouts. Later resets, after the timeout of a client, need
   * no limit: `maxStreams` limits their rate.
   */
  #isEarlyReset(stream: Http2Stream): boolean {
    return !stream.hasResponded && stream.id > this.#recentIds[1];
  }

  /** Throws a `ConnectionError` if the stream is idle. After GOAWAY, streams that were ignored are not errors. */
  #requireKnown(streamId: number): void {
    if (streamId > this.#lastId && !this.#isRetired) throw protocolError("the stream was not opened");
  }

  /** Whether a frame may be ignored because the server has reset its stream, or the client opened it after GOAWAY. */
  #mayIgnore(streamId: number, endStream: boolean): boolean {
    return streamId > this.#lastId || this.#recentlyClosed.mayIgnore(streamId, endStream);
  }
}

/** Throws a `StreamError` if headers are not valid as trailers. */
function requireTrailers({ endStream, fields, isTooLarge }: ReceivedHeaders): void {
  if (!endStream) throw new StreamError(ErrorCode.PROTOCOL_ERROR, "trailers must have END_STREAM");
  if (isTooLarge) throw new StreamError(ErrorCode.ENHANCE_YOUR_CALM, "the trailers are too large");
  requireRequestTrailers(fields);
}
