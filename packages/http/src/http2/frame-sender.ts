import type { Duplex } from "node:stream";
import type { SentCounts } from "./flood-guard.js";
import {
  createFrame,
  createUint32Frame,
  Flag,
  FRAME_HEAD_BYTES,
  FrameType,
  MAX_FRAME_BYTES,
  MAX_UINT31,
  writeFrameHead,
} from "./frame.js";
import { FrameWriter } from "./frame-writer.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { HpackEncoder, onceBytes } from "./hpack/hpack-encoder.js";
import type { Http2Stream } from "./http2-stream.js";

/** The window that a connection begins with (RFC 9113 section 6.9.2). */
export const DEFAULT_WINDOW = 65_535;

/** So much may wait for a client that asks and does not read. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Bodies are held back while so much waits for the client to read. */
const FULL_BYTES = 256 * 1024;
/** A smaller frame that the windows have cut short is not counted as sent: the client could have it made of each byte. */
const MIN_COUNTED_BYTES = 1024;
/** Smaller payloads are copied behind their heads. */
const MOST_COPIED_BYTES = 1024;

/** Sends the frames of a connection, those of bodies as the client's windows and its reading allow. */
export class FrameSender implements SentCounts {
  readonly #socket: Duplex;
  readonly #writer: FrameWriter;
  readonly #encoder = new HpackEncoder();
  /** The streams that have more to send than they may. */
  readonly #heldBack = new Set<Http2Stream>();
  #window = DEFAULT_WINDOW;
  #responses = 0;
  #frames = 0;
  #isOver = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
    this.#writer = new FrameWriter(socket);
  }

  /** How many bytes wait for the client to read. */
  get waitingBytes(): number {
    return this.#writer.waitingBytes;
  }

  /** How many bytes the socket has taken and passed on. */
  get passedBytes(): number {
    return this.#writer.passedBytes;
  }

  /** How many responses were sent completely. */
  get responses(): number {
    return this.#responses;
  }

  /** How many frames of responses were sent, without those that the client's windows have cut short. */
  get frames(): number {
    return this.#frames;
  }

  /** Takes the size that the client allows the table of headers. */
  allowTableSize(size: number): void {
    this.#encoder.allowTableSize(size);
  }

  /** Takes an update of the window of the connection, and sends what it held back; false if it is larger than a window may be. */
  grow(increment: number): boolean {
    const wasShut = this.#window <= 0;
    this.#window += increment;
    if (this.#window > MAX_UINT31) return false;
    // Else it has held nothing back, and all streams would be looked at for each of many small updates.
    if (wasShut) this.pumpAll();
    return true;
  }

  /** Throws a `TypeError`, having sent nothing, for headers that cannot be sent. */
  sendHeaders(streamId: number, fields: HeaderFields, endStream: boolean): void {
    this.#sendBlock(streamId, this.#encoder.encode(fields), endStream);
    this.#count(endStream);
  }

  /** Throws a `TypeError` for headers that cannot be sent. */
  requireAllowed(fields: HeaderFields): void {
    this.#encoder.requireAllowed(fields);
  }

  /**
   * Sends a complete response in one piece; false if the windows or the client's reading do not allow it, and nothing is sent.
   *
   * @param ownHeaders follow the headers, and are others each time.
   * @param trailers undefined for none.
   */
  sendAnswer(
    streamId: number,
    headers: HeaderFields,
    ownHeaders: HeaderFields,
    body: Uint8Array,
    trailers: HeaderFields | undefined,
  ): boolean {
    if (body.length > MAX_FRAME_BYTES || body.length > this.allowance) return false;
    this.#window -= body.length;
    this.#count(true);
    const head = this.#encoder.encode(headers);
    const headBytes = head.length + onceBytes(ownHeaders);
    const tail = trailers === undefined ? undefined : this.#encoder.encode(trailers);
    if (headBytes > MAX_FRAME_BYTES || (tail !== undefined && tail.length > MAX_FRAME_BYTES)) {
      this.#sendLarge(streamId, head, ownHeaders, body, tail);
      return true;
    }
    const isCopied = body.length <= MOST_COPIED_BYTES;
    const copied = isCopied ? body.length : 0;
    const hasData = body.length > 0 || tail !== undefined;
    const dataHeadBytes = hasData ? FRAME_HEAD_BYTES : 0;
    const tailBytes = tail === undefined ? 0 : FRAME_HEAD_BYTES + tail.length;
    const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + headBytes + dataHeadBytes + copied + tailBytes);
    const headFlags = hasData ? Flag.END_HEADERS : Flag.END_HEADERS | Flag.END_STREAM;
    let at = writeFrameHead(bytes, 0, headBytes, FrameType.HEADERS, headFlags, streamId);
    bytes.set(head, at);
    at = this.#encoder.writeOnce(ownHeaders, bytes, at + head.length);
    if (hasData) {
      const dataFlags = tail === undefined ? Flag.END_STREAM : 0;
      at = writeFrameHead(bytes, at, body.length, FrameType.DATA, dataFlags, streamId);
    }
    if (isCopied) bytes.set(body, at);
    if (tail !== undefined) {
      const flags = Flag.END_HEADERS | Flag.END_STREAM;
      bytes.set(tail, writeFrameHead(bytes, at + copied, tail.length, FrameType.HEADERS, flags, streamId));
    }
    if (isCopied) {
      this.send(bytes);
      return true;
    }
    this.send(bytes.subarray(0, at));
    this.send(body);
    if (tail !== undefined) this.send(bytes.subarray(at));
    return true;
  }

  /** Sends a complete response whose headers or trailers take more than a frame. */
  #sendLarge(
    streamId: number,
    head: Buffer,
    ownHeaders: HeaderFields,
    body: Uint8Array,
    tail: Buffer | undefined,
  ): void {
    const block = Buffer.allocUnsafe(head.length + onceBytes(ownHeaders));
    block.set(head);
    this.#encoder.writeOnce(ownHeaders, block, head.length);
    const hasData = body.length > 0 || tail !== undefined;
    this.#sendBlock(streamId, block, !hasData);
    if (hasData) this.sendFrame(FrameType.DATA, tail === undefined ? Flag.END_STREAM : 0, streamId, body);
    if (tail !== undefined) this.#sendBlock(streamId, tail, true);
  }

  sendFrame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    if (payload.length <= MOST_COPIED_BYTES) {
      this.send(createFrame(type, flags, streamId, payload));
      return;
    }
    const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
    writeFrameHead(head, 0, payload.length, type, flags, streamId);
    this.send(head);
    this.send(payload);
  }

  sendUint32(type: number, streamId: number, value: number): void {
    this.send(createUint32Frame(type, streamId, value));
  }

  /** Sends what is framed already. */
  send(piece: Uint8Array): void {
    if (this.#isOver) return;
    this.#writer.write(piece);
    if (this.waitingBytes > MAX_WAITING_BYTES) this.#socket.destroy();
  }

  /** How many bytes of bodies may be sent now. */
  get allowance(): number {
    return Math.max(Math.min(this.#window, FULL_BYTES - this.waitingBytes), 0);
  }

  /** Sends bytes of a body, of no more than the allowance; `isWhole` is whether it did not cut them short. */
  sendData(streamId: number, bytes: Uint8Array, endStream: boolean, isWhole: boolean): void {
    this.#window -= bytes.length;
    if (isWhole || bytes.length >= MIN_COUNTED_BYTES) this.#count(endStream);
    this.sendFrame(FrameType.DATA, endStream ? Flag.END_STREAM : 0, streamId, bytes);
  }

  /** Whether a stream has more to send than it may. */
  get isHoldingBack(): boolean {
    return this.#heldBack.size > 0;
  }

  /** Sends what a stream has to send, as far as the windows and the client's reading allow. */
  pump(stream: Http2Stream): void {
    stream.pump();
    if (stream.isHeldBack) this.#heldBack.add(stream);
    else this.#heldBack.delete(stream);
  }

  /** Sends what was held back, as far as that may be sent now. */
  pumpAll(): void {
    for (const stream of [...this.#heldBack]) {
      if (this.allowance === 0) return;
      // If it is held back again, it comes after the others.
      this.#heldBack.delete(stream);
      this.pump(stream);
    }
  }

  /** Lets go of a stream that is closed. */
  forget(stream: Http2Stream): void {
    this.#heldBack.delete(stream);
  }

  /** Sends what there is, and nothing more. */
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
