import type { Duplex } from "node:stream";
import { ProgressTimeout } from "../limits/progress-timeout.js";
import { ClientStreams, type ClientStreamsOptions, CONNECTION_WINDOW_BYTES } from "./client-streams.js";
import { FloodGuard } from "./flood-guard.js";
import { createFrame, Flag, FrameType, MAX_UINT31 } from "./frame.js";
import { requireValidFrame } from "./frame-payload.js";
import { FrameReader } from "./frame-reader.js";
import { FrameSender, INITIAL_WINDOW_BYTES } from "./frame-sender.js";
import { HeaderReader, type ReceivedHeaders } from "./header-reader.js";
import { ConnectionError, ErrorCode, protocolError, StreamError, windowSizeError } from "./http2-error.js";
import { createSettingsFrame, readInitialWindowSize } from "./settings.js";

/** Time for the client to close its end of the connection, or to read the GOAWAY frame after a connection error. */
const CLOSE_TIMEOUT_MS = 1000;

const EMPTY = new Uint8Array();

/** Options of an `Http2Connection`. */
export interface Http2Options extends ClientStreamsOptions {
  /** Whether many clients share the connection, as behind a proxy. Their stream resets are not counted. */
  readonly isShared: boolean;
}

/** The server side of an HTTP/2 connection (RFC 9113), from the preface on. */
export class Http2Connection {
  readonly socket: Duplex;
  readonly #sender: FrameSender;
  readonly #reader: FrameReader;
  readonly #headerReader: HeaderReader;
  readonly #floodGuard: FloodGuard;
  readonly #streams: ClientStreams;
  readonly #headerTimeout: ProgressTimeout;
  readonly #sendTimeout: ProgressTimeout;
  readonly #idleTimeout: ProgressTimeout;
  #isOver = false;

  constructor(socket: Duplex, options: Http2Options) {
    const { limits, isShared } = options;
    this.socket = socket;
    this.#sender = new FrameSender(socket);
    this.#reader = new FrameReader((type, flags, streamId, payload) => {
      if (!this.#isOver) this.#receiveFrame(type, flags, streamId, payload);
    });
    this.#headerReader = new HeaderReader(limits.maxHeaderBytes);
    this.#floodGuard = new FloodGuard(this.#sender, isShared);
    this.#streams = new ClientStreams(options, this.#sender, this.#floodGuard, () => this.#end());
    this.#headerTimeout = new ProgressTimeout(limits.headerTimeoutMs);
    this.#sendTimeout = new ProgressTimeout(limits.sendTimeoutMs);
    this.#idleTimeout = new ProgressTimeout(limits.idleTimeoutMs);
    this.#sender.send(createSettingsFrame(limits));
    this.#sender.sendUint32(FrameType.WINDOW_UPDATE, 0, CONNECTION_WINDOW_BYTES - INITIAL_WINDOW_BYTES);
    this.#listen();
  }

  /** Bytes in the output buffers that the client has not read. */
  get bufferedBytes(): number {
    return this.#sender.bufferedBytes;
  }

  /** Bytes of responses in the output buffers, or held back by flow control. */
  get unsentBytes(): number {
    return this.#streams.unsentBytes;
  }

  /** Enforces the timeouts. Call it periodically with the current `performance.now()`. */
  check(now: number): void {
    const { lastId, isIdle } = this.#streams;
    const isBeginning = !this.#reader.hasSettings || this.#headerReader.isOpen;
    const flushed = this.bufferedBytes > 0 ? this.#sender.flushedBytes : undefined;
    if (this.#headerTimeout.hasExpired(isBeginning ? lastId : undefined, now)) this.destroy();
    else if (this.#sendTimeout.hasExpired(flushed, now)) this.destroy();
    else if (this.#idleTimeout.hasExpired(isIdle ? lastId : undefined, now)) this.close();
    else this.#streams.checkTimeouts(now);
  }

  /** Sends GOAWAY, ignores new streams, and ends the connection when the open streams have ended. */
  close(): void {
    if (this.#streams.isRetired) return;
    this.#sendGoAway(ErrorCode.NO_ERROR);
    this.#streams.retire();
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.socket.destroy();
  }

  #listen(): void {
    this.socket.on("data", (chunk: Buffer) => {
      if (this.#isOver) return;
      try {
        this.#reader.push(chunk);
        this.#streams.reportPartialBodies();
      } catch (error) {
        this.#fail(error);
      }
    });
    this.socket.on("drain", () => this.#sender.pumpAll());
    this.socket.on("error", () => this.destroy());
    // Half-closed connections are not supported: the client is treated as disconnected.
    this.socket.on("end", () => this.destroy());
    this.socket.on("close", () => this.#stop());
  }

  #receiveFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    this.#headerReader.requireContiguous(type, streamId);
    requireValidFrame(type, flags, streamId, payload.length);
    try {
      this.#dispatch(type, flags, streamId, payload);
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      this.#streams.reset(streamId, error.code);
    }
  }

  #dispatch(type: number, flags: number, streamId: number, payload: Buffer): void {
    switch (type) {
      case FrameType.DATA:
        this.#streams.receiveData(flags, streamId, payload);
        break;
      case FrameType.HEADERS:
        this.#receiveHeaders(this.#headerReader.begin(flags, streamId, payload));
        break;
      case FrameType.CONTINUATION:
        this.#receiveHeaders(this.#headerReader.continue(flags, payload));
        break;
      case FrameType.RST_STREAM:
        this.#streams.receiveReset(streamId);
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

  #receiveHeaders(headers: ReceivedHeaders | undefined): void {
    if (headers !== undefined) this.#streams.receiveHeaders(headers);
  }

  #receiveSettings(flags: number, payload: Buffer): void {
    if ((flags & Flag.ACK) !== 0) return;
    this.#floodGuard.countEmptyFrame();
    const initialWindowSize = readInitialWindowSize(payload);
    if (initialWindowSize !== undefined) this.#streams.resizeSendWindows(initialWindowSize);
    this.#sender.sendFrame(FrameType.SETTINGS, Flag.ACK, 0, EMPTY);
    this.#sender.pumpAll();
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
    if (streamId !== 0) this.#streams.receiveWindowUpdate(streamId, increment);
    else if (increment === 0) throw protocolError("the window increment is 0");
    else if (!this.#sender.widen(increment)) throw windowSizeError();
  }

  #receiveIgnored(type: number, payload: Buffer): void {
    this.#floodGuard.countEmptyFrame();
    // Priorities are obsolete (RFC 9113 section 5.3.2), but the length of their frames is still checked (section 6.3).
    if (type === FrameType.PRIORITY && payload.length !== 5) {
      throw new StreamError(ErrorCode.FRAME_SIZE_ERROR, "PRIORITY must have 5 bytes");
    }
  }

  #sendGoAway(code: number): void {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(this.#streams.lastId);
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
    this.#streams.closeAll();
  }
}
