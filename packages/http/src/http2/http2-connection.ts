import type { Duplex } from "node:stream";
import type { HttpLimits } from "../limits/http-limits.js";
import { ProgressTimeout } from "../limits/progress-timeout.js";
import { DiscardedBodies, type UnfinishedBody } from "./discarded-bodies.js";
import { FloodGuard } from "./flood-guard.js";
import { createFrame, Flag, FrameType, MAX_UINT31 } from "./frame.js";
import { removePadding, requireValidFrame } from "./frame-payload.js";
import { FrameReader } from "./frame-reader.js";
import { FrameSender, INITIAL_WINDOW_BYTES } from "./frame-sender.js";
import { HeaderReader, type ReceivedHeaders } from "./header-reader.js";
import { type HeaderFields, MAX_CACHED_FIELDS } from "./hpack/hpack-decoder.js";
import { ConnectionError, ErrorCode, protocolError, StreamError } from "./http2-error.js";
import { Http2Stream, STREAM_WINDOW_BYTES, type StreamOwner } from "./http2-stream.js";
import { ReceiveWindow } from "./receive-window.js";
import { RecentlyClosedStreams } from "./recently-closed-streams.js";
import { type RequestHead, readRequestHead, readTruncatedHead, requireRequestTrailers } from "./request-head.js";
import { createSettingsFrame, readSettings } from "./settings.js";
import { StreamTable } from "./stream-table.js";

/** Maximum bytes that a client may send on all streams before the server consumes them. */
const CONNECTION_WINDOW_BYTES = 1024 * 1024;
/** Maximum unsent response bytes of a connection. New streams are refused beyond it. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;
/** Time for the client to close its end of the connection, or to read the GOAWAY frame after a connection error. */
const CLOSE_TIMEOUT_MS = 1000;

const EMPTY = new Uint8Array();

/**
 * The reason why a stream is refused. "headers": they are too large, and the stream has only those that fit. "host": it names several
 * hosts. "body": it took too long to arrive.
 */
export type StreamRefusal = "headers" | "host" | "body";

/** Options of an `Http2Connection`. */
export interface Http2Options {
  readonly limits: HttpLimits;
  /** Whether many clients share the connection, as behind a proxy. Their stream resets are not counted. */
  readonly isShared: boolean;
  /** Handles a new stream, whose headers are complete. */
  readonly onStream: (stream: Http2Stream) => void;
  /** Responds to a stream that is refused. */
  readonly refuse: (stream: Http2Stream, reason: StreamRefusal) => void;
  /** Called after each read of the socket, for every stream that received a part of its body and is not complete. */
  readonly onPartialBody: (stream: Http2Stream) => void;
}

/** The server side of an HTTP/2 connection (RFC 9113), from the preface on. */
export class Http2Connection implements StreamOwner {
  readonly socket: Duplex;
  readonly #options: Http2Options;
  readonly #sender: FrameSender;
  readonly #headerReader: HeaderReader;
  readonly #window = new ReceiveWindow(CONNECTION_WINDOW_BYTES);
  readonly #streams = new StreamTable<Http2Stream>();
  readonly #recentlyClosed = new RecentlyClosedStreams();
  readonly #discarded: DiscardedBodies;
  readonly #floodGuard: FloodGuard;
  /** Streams that received a part of their body, but not its end, in the current read. */
  readonly #partialBodies: Http2Stream[] = [];
  #lastHead: RequestHead | undefined;
  #lastStreamId = 0;
  /** The last stream ids at the two most recent checks of the timeouts, the newest first. */
  #recentStreamIds: readonly [number, number] = [0, 0];
  /** The initial send window of new streams. */
  #streamWindow = INITIAL_WINDOW_BYTES;
  #isClosing = false;
  #isOver = false;

  constructor(socket: Duplex, options: Http2Options) {
    const { limits, isShared } = options;
    this.socket = socket;
    this.#options = options;
    this.#sender = new FrameSender(socket);
    this.#headerReader = new HeaderReader(limits.maxHeaderBytes);
    this.#discarded = new DiscardedBodies(this, limits.bodyTimeoutMs);
    this.#floodGuard = new FloodGuard(this.#sender, isShared);
    const settings = {
      maxConcurrentStreams: limits.maxStreams,
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: limits.maxHeaderBytes,
    };
    this.#sender.send(createSettingsFrame(settings));
    this.#sender.sendUint32(FrameType.WINDOW_UPDATE, 0, CONNECTION_WINDOW_BYTES - INITIAL_WINDOW_BYTES);
    this.#listen();
  }

  /** Bytes in the output buffers that the client has not read. */
  get bufferedBytes(): number {
    return this.#sender.bufferedBytes;
  }

  /** Bytes of responses in the output buffers, or held back by flow control. */
  get unsentBytes(): number {
    let sum = this.bufferedBytes;
    if (this.#sender.hasBlockedStreams) for (const stream of this.#streams.all()) sum += stream.unsentBytes;
    return sum;
  }

  /** Calls the listener when the connection is closed. */
  onClose(listener: () => void): void {
    this.socket.once("close", listener);
  }

  /** Sends GOAWAY, ignores new streams, and ends the connection when the open streams have ended. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#sendGoAway(ErrorCode.NO_ERROR);
    if (this.#streams.size === 0) this.#end();
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.socket.destroy();
  }

  // Called by streams.

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

  discard(streamId: number, body: UnfinishedBody): void {
    this.#discarded.add(streamId, body);
  }

  removeStream(stream: Http2Stream, unconsumed: number): void {
    this.#streams.remove(stream);
    this.#sender.remove(stream);
    if (unconsumed > 0) this.consume(unconsumed);
    if (this.#isClosing && this.#streams.size === 0) this.#end();
  }

  #listen(): void {
    const reader = new FrameReader((type, flags, streamId, payload) => {
      if (!this.#isOver) this.#receiveFrame(type, flags, streamId, payload);
    });
    const timer = this.#startTimeouts(reader);
    this.socket.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      try {
        reader.push(chunk);
        this.#reportPartialBodies();
      } catch (error) {
        this.#fail(error);
      }
    });
    this.socket.on("drain", () => this.#sender.pumpAll());
    this.socket.on("error", () => this.destroy());
    // Half-closed connections are not supported: the client is treated as disconnected.
    this.socket.on("end", () => this.destroy());
    this.socket.on("close", () => {
      clearInterval(timer);
      this.#stop();
    });
  }

  /** Enforces the timeouts. The check interval is half the shortest timeout, and at most a second. */
  #startTimeouts(reader: FrameReader): NodeJS.Timeout {
    const { headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs } = this.#options.limits;
    const headers = new ProgressTimeout(headerTimeoutMs);
    const sending = new ProgressTimeout(sendTimeoutMs);
    const idle = new ProgressTimeout(idleTimeoutMs);
    const check = () => {
      const now = performance.now();
      const isBeginning = !reader.hasSettings || this.#headerReader.isOpen;
      if (headers.hasExpired(isBeginning ? this.#lastStreamId : undefined, now)) return this.destroy();
      if (sending.hasExpired(this.bufferedBytes > 0 ? this.#sender.flushedBytes : undefined, now))
        return this.destroy();
      if (idle.hasExpired(this.#streams.size === 0 ? this.#lastStreamId : undefined, now)) return this.close();
      for (const stream of this.#streams.all()) this.#checkStream(stream, now);
      this.#discarded.check(now);
      this.#recentStreamIds = [this.#lastStreamId, this.#recentStreamIds[0]];
    };
    const shortestMs = Math.min(headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs);
    return setInterval(check, Math.min(1000, shortestMs / 2)).unref();
  }

  #checkStream(stream: Http2Stream, now: number): void {
    const timeout = stream.findExpiredTimeout(this.#options.limits, now);
    if (timeout === undefined) return;
    if (timeout === "sending" || stream.hasResponded) stream.reset(ErrorCode.CANCEL);
    else this.#options.refuse(stream, timeout);
  }

  /** Reports partial bodies after the whole read, so that small bodies are not reported even if END_STREAM is a separate frame. */
  #reportPartialBodies(): void {
    if (this.#partialBodies.length === 0) return;
    for (const stream of this.#partialBodies) {
      if (!stream.isRequestComplete && !stream.isClosed) this.#options.onPartialBody(stream);
    }
    this.#partialBodies.length = 0;
  }

  #receiveFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    this.#headerReader.requireContiguous(type, streamId);
    requireValidFrame(type, flags, streamId, payload.length);
    try {
      this.#dispatch(type, flags, streamId, payload);
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      this.#resetFor(streamId, error.code);
    }
  }

  #dispatch(type: number, flags: number, streamId: number, payload: Buffer): void {
    switch (type) {
      case FrameType.DATA:
        this.#receiveData(flags, streamId, payload);
        break;
      case FrameType.HEADERS:
        this.#receiveHeaders(this.#headerReader.begin(flags, streamId, payload));
        break;
      case FrameType.CONTINUATION:
        this.#receiveHeaders(this.#headerReader.continue(flags, payload));
        break;
      case FrameType.RST_STREAM:
        this.#receiveReset(streamId);
        break;
      case FrameType.SETTINGS:
        this.#receiveSettings(flags, payload);
        break;
      case FrameType.PUSH_PROMISE:
        throw protocolError("clients cannot push");
      case FrameType.PING:
        this.#receivePing(flags, payload);
        break;
      case FrameType.GOAWAY:
        this.close();
        break;
      case FrameType.WINDOW_UPDATE:
        this.#receiveWindowUpdate(streamId, payload);
        break;
      default:
        this.#receiveIgnored(type, payload);
    }
  }

  #receiveData(flags: number, streamId: number, payload: Buffer): void {
    if (!this.#window.receive(payload.length)) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "DATA exceeds the flow-control window of the connection");
    }
    const content = removePadding(flags, payload);
    const endStream = (flags & Flag.END_STREAM) !== 0;
    if (content.length === 0 && !endStream) this.#floodGuard.countEmptyFrame();
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) {
      stream.receiveData(content, payload.length, endStream);
      // The response may have been completed while the last part of the body was received.
      if (endStream) this.#discarded.remove(streamId);
      else if (this.#partialBodies.at(-1) !== stream) this.#partialBodies.push(stream);
      return;
    }
    this.consume(payload.length);
    if (this.#discarded.receive(streamId, content.length, payload.length, endStream)) return;
    this.#requireKnown(streamId);
    // The client may have sent the frame before it received the reset.
    if (!this.#mayIgnore(streamId, endStream))
      throw new StreamError(ErrorCode.STREAM_CLOSED, "DATA on a closed stream");
  }

  #receiveHeaders(headers: ReceivedHeaders | undefined): void {
    if (headers === undefined) return;
    const { streamId, endStream } = headers;
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) {
      if (stream.isRequestComplete) throw new StreamError(ErrorCode.STREAM_CLOSED, "HEADERS after END_STREAM");
      requireTrailers(headers);
      stream.receiveEnd();
    } else if (this.#discarded.find(streamId) !== undefined) {
      requireTrailers(headers);
      this.#discarded.receive(streamId, 0, 0, endStream);
    } else if (streamId <= this.#lastStreamId) {
      if (this.#mayIgnore(streamId, endStream)) return;
      throw new ConnectionError(ErrorCode.STREAM_CLOSED, "HEADERS on a closed stream");
    } else if (streamId % 2 === 0) {
      throw protocolError("client stream ids must be odd");
    } else if (!this.#isClosing) {
      // After GOAWAY, new streams are ignored: its last stream id tells the client that they were not processed.
      this.#open(headers);
    }
  }

  #open({ streamId, endStream, fields, isTooLarge }: ReceivedHeaders): void {
    this.#lastStreamId = streamId;
    if (this.#streams.size + this.#discarded.size >= this.#options.limits.maxStreams)
      throw new StreamError(ErrorCode.REFUSED_STREAM, "too many concurrent streams");
    if (this.#sender.hasBlockedStreams && this.unsentBytes > MAX_UNSENT_BYTES)
      throw new StreamError(ErrorCode.REFUSED_STREAM, "too many unsent response bytes");
    const head = isTooLarge ? readTruncatedHead(fields) : this.#readHead(fields);
    const stream = new Http2Stream(this, this.#sender, streamId, head, endStream, this.#streamWindow);
    this.#streams.add(stream);
    const { onStream, refuse } = this.#options;
    if (isTooLarge) refuse(stream, "headers");
    else if (head.hasSeveralHosts) refuse(stream, "host");
    else onStream(stream);
  }

  #readHead(fields: HeaderFields): RequestHead {
    // Most requests of a connection have the same headers as the previous one.
    if (this.#lastHead?.fields === fields) return this.#lastHead;
    const head = readRequestHead(fields);
    this.#lastHead = fields.length <= MAX_CACHED_FIELDS ? head : undefined;
    return head;
  }

  #receiveReset(streamId: number): void {
    this.#requireKnown(streamId);
    this.#recentlyClosed.remove(streamId);
    this.#discarded.remove(streamId);
    const stream = this.#streams.find(streamId);
    if (stream === undefined) this.#floodGuard.countLateReset();
    else if (this.#isEarlyReset(stream)) this.#floodGuard.countReset();
    stream?.close();
  }

  /**
   * Whether a stream is reset before its response and within two checks of the timeouts. Later resets, after the timeout of a client, need
   * no limit: `maxStreams` limits their rate.
   */
  #isEarlyReset(stream: Http2Stream): boolean {
    return !stream.hasResponded && stream.id > this.#recentStreamIds[1];
  }

  #receiveSettings(flags: number, payload: Buffer): void {
    if ((flags & Flag.ACK) !== 0) return;
    this.#floodGuard.countEmptyFrame();
    const { headerTableSize, initialWindowSize = this.#streamWindow } = readSettings(payload);
    if (headerTableSize !== undefined) this.#sender.allowTableSize(headerTableSize);
    const change = initialWindowSize - this.#streamWindow;
    this.#streamWindow = initialWindowSize;
    for (const stream of this.#streams.all()) {
      if (!stream.adjustSendWindow(change)) throw windowSizeError();
    }
    this.#sender.sendFrame(FrameType.SETTINGS, Flag.ACK, 0, EMPTY);
    if (change > 0) this.#sender.pumpAll();
  }

  #receivePing(flags: number, payload: Buffer): void {
    if ((flags & Flag.ACK) !== 0) return;
    // gRPC clients estimate their bandwidth by pings while they receive data.
    this.#floodGuard.countReaction();
    this.#sender.sendFrame(FrameType.PING, Flag.ACK, 0, payload);
  }

  #receiveWindowUpdate(streamId: number, payload: Buffer): void {
    this.#floodGuard.countReaction();
    const increment = payload.readUInt32BE() & MAX_UINT31;
    if (streamId === 0) {
      if (increment === 0) throw protocolError("the window increment is 0");
      if (!this.#sender.widen(increment)) throw windowSizeError();
      return;
    }
    this.#requireKnown(streamId);
    const stream = this.#streams.find(streamId);
    const target = stream ?? this.#discarded.find(streamId);
    if (target === undefined) return;
    if (increment === 0) throw new StreamError(ErrorCode.PROTOCOL_ERROR, "the window increment is 0");
    if (!target.adjustSendWindow(increment))
      throw new StreamError(ErrorCode.FLOW_CONTROL_ERROR, "the window exceeds 2^31 - 1");
    if (stream !== undefined) this.#sender.pump(stream);
  }

  #receiveIgnored(type: number, payload: Buffer): void {
    this.#floodGuard.countEmptyFrame();
    // Priorities are obsolete (RFC 9113 section 5.3.2), but the length of their frames is still checked (section 6.3).
    if (type === FrameType.PRIORITY && payload.length !== 5) {
      throw new StreamError(ErrorCode.FRAME_SIZE_ERROR, "PRIORITY must have 5 bytes");
    }
  }

  /** Throws a `ConnectionError` if the stream is idle. After GOAWAY, streams that were ignored are not errors. */
  #requireKnown(streamId: number): void {
    if (streamId > this.#lastStreamId && !this.#isClosing) throw protocolError("the stream was not opened");
  }

  /** Whether a frame may be ignored because the server has reset its stream, or the client opened it after GOAWAY. */
  #mayIgnore(streamId: number, endStream: boolean): boolean {
    return streamId > this.#lastStreamId || this.#recentlyClosed.mayIgnore(streamId, endStream);
  }

  /** Resets a stream after a stream error. */
  #resetFor(streamId: number, code: number): void {
    this.#floodGuard.countReset();
    this.#discarded.remove(streamId);
    const stream = this.#streams.find(streamId);
    if (stream === undefined) this.sendReset(streamId, code, true);
    else stream.reset(code);
  }

  #sendGoAway(code: number): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(this.#lastStreamId);
    payload.writeUInt32BE(code, 4);
    this.#sender.send(createFrame(FrameType.GOAWAY, 0, 0, payload));
  }

  /** Ends the connection with GOAWAY after an error. Throws the error again if the client did not cause it. */
  #fail(error: unknown): void {
    const isClientError = error instanceof ConnectionError;
    this.#sendGoAway(isClientError ? error.code : ErrorCode.INTERNAL_ERROR);
    this.#end();
    this.#destroyAfterTimeout();
    this.#stop();
    if (!isClientError) throw error;
  }

  /** Ends the connection after the client has read the remaining output, within the usual timeouts. */
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.socket.once("finish", () => this.#destroyAfterTimeout());
    this.#sender.end();
  }

  #destroyAfterTimeout(): void {
    setTimeout(() => this.destroy(), CLOSE_TIMEOUT_MS).unref();
  }

  /** Closes all streams and ignores further input. */
  #stop(): void {
    this.#isOver = true;
    for (const stream of this.#streams.all()) stream.close();
  }
}

/** Throws a `StreamError` if headers are not valid as trailers. */
function requireTrailers({ endStream, fields, isTooLarge }: ReceivedHeaders): void {
  if (!endStream) throw new StreamError(ErrorCode.PROTOCOL_ERROR, "trailers must have END_STREAM");
  if (isTooLarge) throw new StreamError(ErrorCode.ENHANCE_YOUR_CALM, "the trailers are too large");
  requireRequestTrailers(fields);
}

function windowSizeError(): ConnectionError {
  return new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "the window exceeds 2^31 - 1");
}
