import type { Duplex } from "node:stream";
import type { HttpLimits } from "../limits/http-limits.js";
import { ProgressTimeout } from "../limits/progress-timeout.js";
import { DiscardedBodies, type RestOfStream } from "./discarded-bodies.js";
import { FloodGuard } from "./flood-guard.js";
import { ForgottenStreams } from "./forgotten-streams.js";
import { createFrame, Flag, FrameType, MAX_UINT31 } from "./frame.js";
import { requireFrameShape, withoutPadding } from "./frame-payload.js";
import { FrameReader } from "./frame-reader.js";
import { DEFAULT_WINDOW, FrameSender } from "./frame-sender.js";
import { HeaderReader, type ReceivedHeaders } from "./header-reader.js";
import { type HeaderFields, MOST_KEPT_FIELDS } from "./hpack/hpack-decoder.js";
import { ConnectionError, ErrorCode, protocolError, StreamError } from "./http2-error.js";
import { Http2Stream, STREAM_WINDOW, type StreamOwner } from "./http2-stream.js";
import { ReceiveWindow } from "./receive-window.js";
import { type RequestHead, readRequestHead, readTruncatedHead, requireRequestTrailers } from "./request-headers.js";
import { createSettingsFrame, readSettings } from "./settings.js";
import { StreamTable } from "./stream-table.js";

/** How many bytes of all bodies a client may send before they are taken. */
const CONNECTION_WINDOW = 1024 * 1024;
/** While so much waits of a client's answers, it gets no more. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;
/** How long the client may take to end the connection too; of one that is in the wrong, to take the reason. */
const FAREWELL_MS = 1000;

const NOTHING = new Uint8Array();

/**
 * Why a stream is refused: its headers are too large, so that it has only those that fit, it has more than one host, or its body took
 * too long.
 */
export type StreamRefusal = "headers" | "host" | "body";

/** How a connection is served. */
export interface Http2Options {
  readonly limits: HttpLimits;
  /** Whether many clients share the connection, as behind a proxy: their resets are not counted. */
  readonly isShared: boolean;
  /** Takes a new stream, whose headers are complete. */
  readonly onStream: (stream: Http2Stream) => void;
  /** Answers a stream that is refused. */
  readonly refuse: (stream: Http2Stream, reason: StreamRefusal) => void;
  /** Called after each read of the socket with every stream whose body has grown and is not complete. */
  readonly onPartialBody: (stream: Http2Stream) => void;
}

/** The server's side of a connection of HTTP/2 (RFC 9113), from the preface on. It takes frames in the order in which they come. */
export class Http2Connection implements StreamOwner {
  readonly socket: Duplex;
  readonly #options: Http2Options;
  readonly #sender: FrameSender;
  readonly #headerReader: HeaderReader;
  readonly #window = new ReceiveWindow(CONNECTION_WINDOW);
  readonly #streams = new StreamTable<Http2Stream>();
  readonly #forgotten = new ForgottenStreams();
  readonly #discarded: DiscardedBodies;
  readonly #floodGuard: FloodGuard;
  /** Streams of which a part of the body, and not its end, was in what is being read. */
  readonly #arriving: Http2Stream[] = [];
  #lastHead: RequestHead | undefined;
  #lastStreamId = 0;
  /** The last stream when the timeouts were checked the last time, and the time before that. */
  #recentStreamIds: readonly [number, number] = [0, 0];
  /** The window of new streams, for what is sent on them. */
  #streamWindow = DEFAULT_WINDOW;
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
      initialWindowSize: STREAM_WINDOW,
      maxHeaderListSize: limits.maxHeaderBytes,
    };
    this.#sender.send(createSettingsFrame(settings));
    this.#sender.sendUint32(FrameType.WINDOW_UPDATE, 0, CONNECTION_WINDOW - DEFAULT_WINDOW);
    this.#listen();
  }

  /** How many bytes wait for the client to read. */
  get waitingBytes(): number {
    return this.#sender.waitingBytes;
  }

  /** How many bytes wait for the client to read, or to allow that they are sent. */
  get unsentBytes(): number {
    let sum = this.waitingBytes;
    if (this.#sender.isHoldingBack) for (const stream of this.#streams.all()) sum += stream.unsentBytes;
    return sum;
  }

  /** Calls back when the connection is closed. */
  onClose(listener: () => void): void {
    this.socket.once("close", listener);
  }

  /** Takes no more streams, and ends the connection when those that there are have ended. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#sendGoAway(ErrorCode.NO_ERROR);
    if (this.#streams.size === 0) this.#end();
  }

  /** Ends the connection at once. */
  destroy(): void {
    this.socket.destroy();
  }

  // What follows is a stream's to call.

  consume(bytes: number): void {
    const increment = this.#window.take(bytes);
    if (increment > 0) this.widenWindow(0, increment);
  }

  sendReset(streamId: number, code: number, isOpen: boolean): void {
    this.#sender.sendUint32(FrameType.RST_STREAM, streamId, code);
    if (isOpen) this.#forgotten.add(streamId);
  }

  widenWindow(streamId: number, increment: number): void {
    this.#sender.sendUint32(FrameType.WINDOW_UPDATE, streamId, increment);
  }

  discard(streamId: number, rest: RestOfStream): void {
    this.#discarded.add(streamId, rest);
  }

  forget(stream: Http2Stream, unconsumed: number): void {
    this.#streams.remove(stream);
    this.#sender.forget(stream);
    if (unconsumed > 0) this.consume(unconsumed);
    if (this.#isClosing && this.#streams.size === 0) this.#end();
  }

  #listen(): void {
    const reader = new FrameReader((type, flags, streamId, payload) => {
      if (!this.#isOver) this.#takeFrame(type, flags, streamId, payload);
    });
    const timer = this.#watch(reader);
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
    // A client that says that it will send no more is not there for the answers either.
    this.socket.on("end", () => this.destroy());
    this.socket.on("close", () => {
      clearInterval(timer);
      this.#abandon();
    });
  }

  /** Ends what takes longer than it may. The times are checked twice as often as the shortest of them, at least once a second. */
  #watch(reader: FrameReader): NodeJS.Timeout {
    const { headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs } = this.#options.limits;
    const headers = new ProgressTimeout(headerTimeoutMs);
    const sending = new ProgressTimeout(sendTimeoutMs);
    const idle = new ProgressTimeout(idleTimeoutMs);
    const check = () => {
      const now = performance.now();
      const isBeginning = !reader.hasBegun || this.#headerReader.isOpen;
      if (headers.isOver(isBeginning ? this.#lastStreamId : undefined, now)) return this.destroy();
      if (sending.isOver(this.waitingBytes > 0 ? this.#sender.passedBytes : undefined, now)) return this.destroy();
      if (idle.isOver(this.#streams.size === 0 ? this.#lastStreamId : undefined, now)) return this.close();
      for (const stream of this.#streams.all()) this.#checkStream(stream, now);
      this.#discarded.check(now);
      this.#recentStreamIds = [this.#lastStreamId, this.#recentStreamIds[0]];
    };
    const shortestMs = Math.min(headerTimeoutMs, bodyTimeoutMs, sendTimeoutMs, idleTimeoutMs);
    return setInterval(check, Math.min(1000, shortestMs / 2)).unref();
  }

  #checkStream(stream: Http2Stream, now: number): void {
    const stall = stream.findStall(this.#options.limits, now);
    if (stall === undefined) return;
    if (stall === "sending" || stream.hasResponded) stream.reset(ErrorCode.CANCEL);
    else this.#options.refuse(stream, stall);
  }

  /** Waits for the end of a read, so that a small body costs nothing here even if its end is a frame of its own. */
  #reportPartialBodies(): void {
    if (this.#arriving.length === 0) return;
    for (const stream of this.#arriving) {
      if (!stream.hasEndedRemote && !stream.isClosed) this.#options.onPartialBody(stream);
    }
    this.#arriving.length = 0;
  }

  #takeFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    this.#headerReader.requireOrder(type, streamId);
    requireFrameShape(type, flags, streamId, payload.length);
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
        this.#takeData(flags, streamId, payload);
        break;
      case FrameType.HEADERS:
        this.#takeHeaders(this.#headerReader.begin(flags, streamId, payload));
        break;
      case FrameType.CONTINUATION:
        this.#takeHeaders(this.#headerReader.continue(flags, payload));
        break;
      case FrameType.RST_STREAM:
        this.#takeReset(streamId);
        break;
      case FrameType.SETTINGS:
        this.#takeSettings(flags, payload);
        break;
      case FrameType.PUSH_PROMISE:
        throw protocolError("clients cannot push");
      case FrameType.PING:
        this.#takePing(flags, payload);
        break;
      case FrameType.GOAWAY:
        this.close();
        break;
      case FrameType.WINDOW_UPDATE:
        this.#takeWindowUpdate(streamId, payload);
        break;
      default:
        this.#takeIgnored(type, payload);
    }
  }

  #takeData(flags: number, streamId: number, payload: Buffer): void {
    if (!this.#window.receive(payload.length)) {
      throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "the connection's flow-control window is exceeded");
    }
    const content = withoutPadding(flags, payload);
    const endStream = (flags & Flag.END_STREAM) !== 0;
    if (content.length === 0 && !endStream) this.#floodGuard.countEmptyFrame();
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) {
      stream.takeData(content, payload.length, endStream);
      // The response may have been sent while the last of the body was taken.
      if (endStream) this.#discarded.remove(streamId);
      else if (this.#arriving.at(-1) !== stream) this.#arriving.push(stream);
      return;
    }
    this.consume(payload.length);
    if (this.#discarded.take(streamId, content.length, payload.length, endStream)) return;
    this.#requireKnown(streamId);
    // It may have been sent before the client knew that the stream is reset.
    if (!this.#isForgotten(streamId, endStream)) throw new StreamError(ErrorCode.STREAM_CLOSED, "the stream is closed");
  }

  #takeHeaders(headers: ReceivedHeaders | undefined): void {
    if (headers === undefined) return;
    const { streamId, endStream } = headers;
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) {
      if (stream.hasEndedRemote) throw new StreamError(ErrorCode.STREAM_CLOSED, "the request body has already ended");
      requireTrailers(headers);
      stream.takeEnd();
    } else if (this.#discarded.find(streamId) !== undefined) {
      requireTrailers(headers);
      this.#discarded.take(streamId, 0, 0, endStream);
    } else if (streamId <= this.#lastStreamId) {
      if (this.#isForgotten(streamId, endStream)) return;
      throw new ConnectionError(ErrorCode.STREAM_CLOSED, "the stream is closed");
    } else if (streamId % 2 === 0) {
      throw protocolError("a client's streams have odd ids");
    } else if (!this.#isClosing) {
      // Of a stream that comes later, the client knows from the GOAWAY that it was not looked at.
      this.#open(headers);
    }
  }

  #open({ streamId, endStream, fields, isTooLarge }: ReceivedHeaders): void {
    this.#lastStreamId = streamId;
    if (this.#streams.size + this.#discarded.size >= this.#options.limits.maxStreams)
      throw new StreamError(ErrorCode.REFUSED_STREAM, "too many streams");
    if (this.#sender.isHoldingBack && this.unsentBytes > MAX_UNSENT_BYTES)
      throw new StreamError(ErrorCode.REFUSED_STREAM, "too many unread response bytes on this connection");
    const head = isTooLarge ? readTruncatedHead(fields) : this.#readHead(fields);
    const stream = new Http2Stream(this, this.#sender, streamId, head, endStream, this.#streamWindow);
    this.#streams.add(stream);
    const { onStream, refuse } = this.#options;
    if (isTooLarge) refuse(stream, "headers");
    else if (head.hasManyHosts) refuse(stream, "host");
    else onStream(stream);
  }

  #readHead(fields: HeaderFields): RequestHead {
    // Most requests of a connection have the headers of the one before.
    if (this.#lastHead?.fields === fields) return this.#lastHead;
    const head = readRequestHead(fields);
    this.#lastHead = fields.length <= MOST_KEPT_FIELDS ? head : undefined;
    return head;
  }

  #takeReset(streamId: number): void {
    this.#requireKnown(streamId);
    this.#forgotten.remove(streamId);
    this.#discarded.remove(streamId);
    const stream = this.#streams.find(streamId);
    if (stream === undefined) this.#floodGuard.countLateReset();
    else if (this.#isPremature(stream)) this.#floodGuard.countReset();
    stream?.close();
  }

  /**
   * Whether a stream is reset before its response, and soon. Clients that give up waiting have only so many streams a second, as each
   * takes one of `maxStreams` for that long.
   */
  #isPremature(stream: Http2Stream): boolean {
    return !stream.hasResponded && stream.id > this.#recentStreamIds[1];
  }

  #takeSettings(flags: number, payload: Buffer): void {
    if ((flags & Flag.ACK) !== 0) return;
    this.#floodGuard.countEmptyFrame();
    const { headerTableSize, initialWindowSize = this.#streamWindow } = readSettings(payload);
    if (headerTableSize !== undefined) this.#sender.allowTableSize(headerTableSize);
    const change = initialWindowSize - this.#streamWindow;
    this.#streamWindow = initialWindowSize;
    for (const stream of this.#streams.all()) {
      if (!stream.grow(change)) throw windowTooLarge();
    }
    this.#sender.sendFrame(FrameType.SETTINGS, Flag.ACK, 0, NOTHING);
    if (change > 0) this.#sender.pumpAll();
  }

  #takePing(flags: number, payload: Buffer): void {
    if ((flags & Flag.ACK) !== 0) return;
    // Clients of gRPC measure their bandwidth by a ping after what they were sent.
    this.#floodGuard.countReaction();
    this.#sender.sendFrame(FrameType.PING, Flag.ACK, 0, payload);
  }

  #takeWindowUpdate(streamId: number, payload: Buffer): void {
    this.#floodGuard.countReaction();
    const increment = payload.readUInt32BE() & MAX_UINT31;
    if (streamId === 0) {
      if (increment === 0) throw protocolError("a WINDOW_UPDATE increment must not be 0");
      if (!this.#sender.grow(increment)) throw windowTooLarge();
      return;
    }
    this.#requireKnown(streamId);
    const stream = this.#streams.find(streamId);
    const windowed = stream ?? this.#discarded.find(streamId);
    if (windowed === undefined) return;
    if (increment === 0) throw new StreamError(ErrorCode.PROTOCOL_ERROR, "a WINDOW_UPDATE increment must not be 0");
    if (!windowed.grow(increment)) throw new StreamError(ErrorCode.FLOW_CONTROL_ERROR, "the window is too large");
    if (stream !== undefined) this.#sender.pump(stream);
  }

  #takeIgnored(type: number, payload: Buffer): void {
    this.#floodGuard.countEmptyFrame();
    // Priorities of this kind are no more (RFC 9113 section 5.3.2), but their frames have a length (section 6.3).
    if (type === FrameType.PRIORITY && payload.length !== 5) {
      throw new StreamError(ErrorCode.FRAME_SIZE_ERROR, "a PRIORITY frame must have 5 bytes");
    }
  }

  /** Throws for a stream that was never opened, but for those that were not looked at because of the GOAWAY. */
  #requireKnown(streamId: number): void {
    if (streamId > this.#lastStreamId && !this.#isClosing)
      throw protocolError("the frame is for a stream that was not opened");
  }

  /** Whether this side has ended a stream, or not looked at it, while the client was still sending. */
  #isForgotten(streamId: number, endStream: boolean): boolean {
    return streamId > this.#lastStreamId || this.#forgotten.allows(streamId, endStream);
  }

  /** Resets a stream for what the client did. */
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

  /** Ends the connection for what the client did, and tells it why. */
  #fail(error: unknown): void {
    const isClients = error instanceof ConnectionError;
    this.#sendGoAway(isClients ? error.code : ErrorCode.INTERNAL_ERROR);
    this.#end();
    this.#sayFarewell();
    this.#abandon();
    if (!isClients) throw error;
  }

  /** Ends the connection when the client has taken what there is for it, which it has as long for as ever. */
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.socket.once("finish", () => this.#sayFarewell());
    this.#sender.end();
  }

  #sayFarewell(): void {
    setTimeout(() => this.destroy(), FAREWELL_MS).unref();
  }

  /** The client has gone away, or is no longer listened to. */
  #abandon(): void {
    this.#isOver = true;
    for (const stream of this.#streams.all()) stream.close();
  }
}

/** Throws a `StreamError` for headers that cannot end a request. */
function requireTrailers({ endStream, fields, isTooLarge }: ReceivedHeaders): void {
  if (!endStream) throw new StreamError(ErrorCode.PROTOCOL_ERROR, "trailers must end the stream");
  if (isTooLarge) throw new StreamError(ErrorCode.ENHANCE_YOUR_CALM, "the trailers are too large");
  requireRequestTrailers(fields);
}

function windowTooLarge(): ConnectionError {
  return new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, "a window is too large");
}
