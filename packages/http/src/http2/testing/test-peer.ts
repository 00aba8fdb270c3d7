import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { RefusalReason } from "../../exchange.js";
import { ConnectionWatch } from "../../limits/connection-watch.js";
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from "../../limits/http-limits.js";
import { createFrame, createUint32Frame, Flag, FrameType, MAX_FRAME_BYTES } from "../frame.js";
import { PREFACE } from "../frame-reader.js";
import { type HeaderFields, HpackDecoder } from "../hpack/hpack-decoder.js";
import { encodeFields } from "../hpack/hpack-encoder.js";
import { Http2Connection, type Http2Options } from "../http2-connection.js";
import type { Http2Stream } from "../http2-stream.js";

/** A received frame. */
export interface TestFrame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** The headers of a valid GET request. */
export const GET = [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "localhost"];
/** The headers of a valid POST request. */
export const POST = [":method", "POST", ":scheme", "http", ":path", "/", ":authority", "localhost"];

/** The limits and other options of the server's connection. */
export type TestPeerOptions = Partial<HttpLimits> & Partial<Omit<Http2Options, "limits" | "onStream">>;

/** Completes the options of a connection. By default, refused streams get 400, 408 or 431. */
export function createHttp2Options(
  onStream: Http2Options["onStream"],
  { isShared = false, refuse = refusePlainly, onPartialBody = () => {}, ...limits }: TestPeerOptions = {},
): Http2Options {
  return { isShared, onStream, refuse, onPartialBody, limits: { ...DEFAULT_HTTP_LIMITS, ...limits } };
}

const REFUSAL_STATUS: Partial<Record<RefusalReason, string>> = { HEADERS_TOO_LARGE: "431", REQUEST_TIMEOUT: "408" };

function refusePlainly(stream: Http2Stream, reason: RefusalReason): void {
  stream.sendHeaders([":status", REFUSAL_STATUS[reason] ?? "400"], true);
}

/** A client that sends and receives frames, connected to its own server. */
export class TestPeer implements AsyncDisposable {
  readonly frames: TestFrame[] = [];
  readonly decoder = new HpackDecoder(4096, 2 ** 24);
  /** Whether the server has closed the connection. */
  isClosed = false;
  #seen = 0;
  #rest = Buffer.alloc(0);
  #wake: () => void = () => {};

  private constructor(
    readonly socket: Socket,
    readonly connection: Http2Connection,
    private readonly close: () => void,
  ) {
    socket.on("error", () => {});
    // Nagle's algorithm would delay a small frame by 40 ms, until the server acknowledges the previous one.
    socket.setNoDelay();
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  /** Connects without sending anything. */
  static async connect(onStream: Http2Options["onStream"], given?: TestPeerOptions): Promise<TestPeer> {
    const accepted = Promise.withResolvers<Http2Connection>();
    const options = createHttp2Options(onStream, given);
    const server = createServer((socket) => accepted.resolve(new Http2Connection(socket, options))).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setNoDelay();
    const watch = new ConnectionWatch(options.limits);
    const connection = await accepted.promise;
    watch.add(connection);
    return new TestPeer(socket, connection, () => {
      watch.stop();
      server.close();
    });
  }

  /** Connects, and sends the preface and empty SETTINGS. */
  static async open(onStream: Http2Options["onStream"], options?: TestPeerOptions): Promise<TestPeer> {
    const peer = await TestPeer.connect(onStream, options);
    peer.send(PREFACE, createFrame(FrameType.SETTINGS, 0, 0, Buffer.alloc(0)));
    return peer;
  }

  /** Sends bytes. All bytes of one turn of the event loop are sent with one write. */
  send(...pieces: readonly Uint8Array[]): void {
    if (this.socket.writableCorked === 0) {
      this.socket.cork();
      process.nextTick(() => this.socket.uncork());
    }
    this.socket.write(Buffer.concat(pieces));
  }

  frame(type: number, flags: number, streamId: number, payload: Uint8Array | readonly number[] = []): void {
    this.send(createFrame(type, flags, streamId, Uint8Array.from(payload)));
  }

  headers(streamId: number, fields: readonly string[], endStream = true): void {
    const flags = Flag.END_HEADERS | (endStream ? Flag.END_STREAM : 0);
    this.frame(FrameType.HEADERS, flags, streamId, encodeFields(fields));
  }

  /** Sends a field block in as few frames as possible. */
  headerBlock(streamId: number, block: Buffer, endStream = true): void {
    for (let at = 0; at === 0 || at < block.length; at += MAX_FRAME_BYTES) {
      const endHeaders = at + MAX_FRAME_BYTES >= block.length ? Flag.END_HEADERS : 0;
      const type = at === 0 ? FrameType.HEADERS : FrameType.CONTINUATION;
      const flags = endHeaders | (at === 0 && endStream ? Flag.END_STREAM : 0);
      this.frame(type, flags, streamId, block.subarray(at, at + MAX_FRAME_BYTES));
    }
  }

  data(streamId: number, text: string | Uint8Array, endStream = false): void {
    this.frame(FrameType.DATA, endStream ? Flag.END_STREAM : 0, streamId, Buffer.from(text));
  }

  windowUpdate(streamId: number, increment: number): void {
    this.send(createUint32Frame(FrameType.WINDOW_UPDATE, streamId, increment));
  }

  /** The next wanted frame, by default any except SETTINGS and WINDOW_UPDATE. Undefined if the connection ends first. */
  async next(wanted: (frame: TestFrame) => boolean = isOfInterest): Promise<TestFrame | undefined> {
    for (;;) {
      while (this.#seen < this.frames.length) {
        const frame = this.frames[this.#seen++] as TestFrame;
        if (wanted(frame)) return frame;
      }
      if (this.isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The header fields of the next response, optionally on a given stream. Undefined if the connection ends first. */
  async response(streamId?: number): Promise<HeaderFields | undefined> {
    const frame = await this.next(
      ({ type, streamId: id }) => type === FrameType.HEADERS && (streamId === undefined || id === streamId),
    );
    return frame && this.decoder.decode(frame.payload);
  }

  /** The next GOAWAY or RST_STREAM with its error code. Undefined if the connection ends first. */
  async failure(): Promise<{ readonly of: "connection" | "stream"; readonly code: number } | undefined> {
    const frame = await this.next(({ type }) => type === FrameType.GOAWAY || type === FrameType.RST_STREAM);
    if (frame === undefined) return undefined;
    return frame.type === FrameType.GOAWAY
      ? { of: "connection", code: frame.payload.readUInt32BE(4) }
      : { of: "stream", code: frame.payload.readUInt32BE() };
  }

  /** Sends a PING and waits for its ACK: the server has then processed all earlier frames. Returns false if the connection ends first. */
  async roundTrip(): Promise<boolean> {
    const payload = Buffer.from("12345678");
    this.frame(FrameType.PING, 0, 0, payload);
    return (await this.next(({ type, flags }) => type === FrameType.PING && flags === Flag.ACK)) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    this.connection.destroy();
    this.close();
  }

  #take(chunk: Buffer): void {
    let bytes = Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const end = 9 + bytes.readUIntBE(0, 3);
      const payload = bytes.subarray(9, end);
      this.frames.push({ type: bytes[3] ?? 0, flags: bytes[4] ?? 0, streamId: bytes.readUInt32BE(5), payload });
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
    this.#wake();
  }
}

function isOfInterest({ type }: TestFrame): boolean {
  return type !== FrameType.SETTINGS && type !== FrameType.WINDOW_UPDATE;
}
