import type { Duplex } from "node:stream";
import {
  createFrame,
  createUint32Frame,
  Flag,
  FRAME_HEADER_BYTES,
  FrameType,
  MAX_FRAME_BYTES,
  MAX_UINT31,
  writeFrameHeader,
} from "./frame.js";
import { FrameWriter } from "./frame-writer.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { encodeFields, literalBytes, writeLiterals } from "./hpack/hpack-encoder.js";

/** The initial flow-control window of a connection and its streams, in bytes (RFC 9113 section 6.9.2). */
export const INITIAL_WINDOW_BYTES = 65_535;

/** Maximum unread output. A client that exceeds it by sending requests without reading is disconnected. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;
/** High-water mark of the output buffer: response bodies pause while it is reached. */
const HIGH_WATER_BYTES = 256 * 1024;
/** Smaller frames that are truncated by the windows are not counted as sent: tiny windows could otherwise produce a frame per byte. */
const MIN_COUNTED_BYTES = 1024;
/** Payloads up to this size are copied into one buffer with their frame header. */
const MAX_COPIED_BYTES = 1024;

/** A stream as far as `FrameSender` needs it. */
interface SendingStream {
  /** Whether it has data that the windows or the output buffer do not admit yet. */
  readonly isBlocked: boolean;
  /** Sends as much data as possible. */
  pump(): void;
}

/** Sends the frames of a connection. Applies flow control and backpressure to bodies. */
export class FrameSender {
  readonly #socket: Duplex;
  readonly #writer: FrameWriter;
  /** Streams that wait for flow-control window or for the client to read, in the order in which they are served. */
  readonly #blocked = new Set<SendingStream>();
  #window = INITIAL_WINDOW_BYTES;
  #responses = 0;
  #frames = 0;
  #isOver = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
    this.#writer = new FrameWriter(socket);
  }

  /** Bytes in the output buffer and the socket's buffer. */
  get bufferedBytes(): number {
    return this.#writer.bufferedBytes;
  }

  /** Total bytes that the socket has passed to the operating system. */
  get flushedBytes(): number {
    return this.#writer.flushedBytes;
  }

  /** Number of completely sent responses. */
  get responses(): number {
    return this.#responses;
  }

  /** Number of sent frames of responses, except small ones that the client's windows have truncated. */
  get frames(): number {
    return this.#frames;
  }

  /** Widens the window of the connection and resumes blocked streams. Returns false if it exceeds the maximum window size. */
  widen(increment: number): boolean {
    const wasExhausted = this.#window <= 0;
    this.#window += increment;
    if (this.#window > MAX_UINT31) return false;
    // Otherwise this window blocks no stream, and checking all streams for each small update would be expensive.
    if (wasExhausted) this.pumpAll();
    return true;
  }

  /** Sends headers. */
  sendHeaders(streamId: number, fields: HeaderFields, endStream: boolean): void {
    this.#sendBlock(streamId, encodeFields(fields), endStream);
    this.#count(endStream);
  }

  /**
   * Sends a complete response with one write. Returns false, and sends nothing, if the connection's window or the output buffer do not
   * admit the body, or if the headers, the body or the trailers need several frames.
   *
   * @param ownHeaders headers specific to this response; they follow `headers`.
   * @param trailers undefined for none.
   */
  sendResponse(
    streamId: number,
    headers: HeaderFields,
    ownHeaders: HeaderFields,
    body: Uint8Array,
    trailers: HeaderFields | undefined,
  ): boolean {
    if (body.length > MAX_FRAME_BYTES || body.length > this.sendableBytes) return false;
    const head = encodeFields(headers);
    const headBytes = head.length + literalBytes(ownHeaders);
    const trailerBlock = trailers === undefined ? undefined : encodeFields(trailers);
    if (headBytes > MAX_FRAME_BYTES || (trailerBlock !== undefined && trailerBlock.length > MAX_FRAME_BYTES))
      return false;
    const isCopied = body.length <= MAX_COPIED_BYTES;
    const copied = isCopied ? body.length : 0;
    const hasData = body.length > 0 || trailerBlock !== undefined;
    const dataHeadBytes = hasData ? FRAME_HEADER_BYTES : 0;
    const trailerFrameBytes = trailerBlock === undefined ? 0 : FRAME_HEADER_BYTES + trailerBlock.length;
    const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + headBytes + dataHeadBytes + copied + trailerFrameBytes);
    const headFlags = hasData ? Flag.END_HEADERS : Flag.END_HEADERS | Flag.END_STREAM;
    let at = writeFrameHeader(bytes, 0, headBytes, FrameType.HEADERS, headFlags, streamId);
    bytes.set(head, at);
    at = writeLiterals(ownHeaders, bytes, at + head.length);
    if (hasData) {
      const dataFlags = trailerBlock === undefined ? Flag.END_STREAM : 0;
      at = writeFrameHeader(bytes, at, body.length, FrameType.DATA, dataFlags, streamId);
    }
    if (isCopied) bytes.set(body, at);
    if (trailerBlock !== undefined) {
      const flags = Flag.END_HEADERS | Flag.END_STREAM;
      bytes.set(
        trailerBlock,
        writeFrameHeader(bytes, at + copied, trailerBlock.length, FrameType.HEADERS, flags, streamId),
      );
    }
    this.#window -= body.length;
    this.#count(true);
    if (isCopied) {
      this.send(bytes);
      return true;
    }
    this.send(bytes.subarray(0, at));
    this.send(body);
    if (trailerBlock !== undefined) this.send(bytes.subarray(at));
    return true;
  }

  sendFrame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    if (payload.length <= MAX_COPIED_BYTES) {
      this.send(createFrame(type, flags, streamId, payload));
      return;
    }
    const head = Buffer.allocUnsafe(FRAME_HEADER_BYTES);
    writeFrameHeader(head, 0, payload.length, type, flags, streamId);
    this.send(head);
    this.send(payload);
  }

  sendUint32(type: number, streamId: number, value: number): void {
    this.send(createUint32Frame(type, streamId, value));
  }

  /** Sends a complete frame, or the next part of one. */
  send(piece: Uint8Array): void {
    if (this.#isOver) return;
    this.#writer.write(piece);
    if (this.bufferedBytes > MAX_BUFFERED_BYTES) this.#socket.destroy();
  }

  /** Bytes of bodies that the connection's window and the output buffer admit now. */
  get sendableBytes(): number {
    return Math.max(Math.min(this.#window, HIGH_WATER_BYTES - this.bufferedBytes), 0);
  }

  /** Sends a DATA frame of at most `sendableBytes`. `isComplete` is false if flow control truncated it. */
  sendData(streamId: number, bytes: Uint8Array, endStream: boolean, isComplete: boolean): void {
    this.#window -= bytes.length;
    if (isComplete || bytes.length >= MIN_COUNTED_BYTES) this.#count(endStream);
    this.sendFrame(FrameType.DATA, endStream ? Flag.END_STREAM : 0, streamId, bytes);
  }

  /** Whether streams wait for flow-control window or for the client to read. */
  get hasBlockedStreams(): boolean {
    return this.#blocked.size > 0;
  }

  /** Sends as much of a stream's data as possible. Resumes the rest when the windows and the client admit it. */
  pump(stream: SendingStream): void {
    stream.pump();
    if (stream.isBlocked) this.#blocked.add(stream);
    else this.#blocked.delete(stream);
  }

  /** Resumes the blocked streams. */
  pumpAll(): void {
    for (const stream of [...this.#blocked]) {
      if (this.sendableBytes === 0) return;
      // A stream that is blocked again is served after the others.
      this.#blocked.delete(stream);
      this.pump(stream);
    }
  }

  /** Removes a closed stream. */
  remove(stream: SendingStream): void {
    this.#blocked.delete(stream);
  }

  /** Sends the buffered output, ends the socket and ignores later frames. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#writer.flush();
    this.#socket.end();
  }

  #count(endStream: boolean): void {
    this.#frames += 1;
    if (endStream) this.#responses += 1;
  }

  #sendBlock(streamId: number, block: Buffer, endStream: boolean): void {
    const flags = endStream ? Flag.END_STREAM : 0;
    for (let at = 0; at === 0 || at < block.length; at += MAX_FRAME_BYTES) {
      const isLast = at + MAX_FRAME_BYTES >= block.length;
      const type = at === 0 ? FrameType.HEADERS : FrameType.CONTINUATION;
      const piece = block.subarray(at, at + MAX_FRAME_BYTES);
      this.sendFrame(type, (at === 0 ? flags : 0) | (isLast ? Flag.END_HEADERS : 0), streamId, piece);
    }
  }
}
