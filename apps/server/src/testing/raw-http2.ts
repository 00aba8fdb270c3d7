import { connect, type Socket } from "node:net";

/** Header fields in order. Each character of a value is sent as one byte. */
export type RawFields = readonly (readonly [name: string, value: string])[];

/** A complete response. Each character of the text is one byte. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** How the server ended a stream: with a response, with a reset, or by closing the connection. */
export type RawEnd = RawAnswer | { readonly resetCode: number } | "closed";

const FRAME = { DATA: 0, HEADERS: 1, RST_STREAM: 3, SETTINGS: 4, PING: 6, WINDOW_UPDATE: 8 };
const ACK = 0x1;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const HEAD_BYTES = 9;
/** The largest payload of a frame that every receiver accepts (RFC 9113 section 4.2). */
const MAX_FRAME_BYTES = 2 ** 14;
const MAX_WINDOW = 2 ** 31 - 1;
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
/**
 * SETTINGS_HEADER_TABLE_SIZE is 0, so that the headers of a response can be decoded without earlier responses. SETTINGS_INITIAL_WINDOW_SIZE is the
 * maximum.
 */
const SETTINGS = Buffer.from([0, 1, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff]);

interface OpenStream {
  status: number;
  text: string;
  readonly resolve: (end: RawEnd) => void;
}

/** An HTTP/2 client that writes frames by hand, because Node's client checks header fields before it sends them. */
export class RawHttp2Client {
  readonly #socket: Socket;
  readonly #streams = new Map<number, OpenStream>();
  readonly #pings: (() => void)[] = [];
  #nextId = 1;
  #unread = Buffer.alloc(0);

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1").setNoDelay();
    this.#socket.on("error", () => {}).on("data", (chunk: Buffer) => this.#read(chunk));
    this.#socket.on("close", () => {
      for (const { resolve } of this.#streams.values()) resolve("closed");
      this.#streams.clear();
    });
    this.#socket.write(PREFACE);
    this.#sendFrame(FRAME.SETTINGS, 0, 0, SETTINGS);
    this.#sendFrame(FRAME.WINDOW_UPDATE, 0, 0, uint32(MAX_WINDOW - 65_535));
  }

  /** Sends a request, and resolves when the server ends its stream. If `isComplete` is false, the body stays open. */
  send(fields: RawFields, body?: string, isComplete = true): Promise<RawEnd> {
    const id = this.#nextId;
    this.#nextId += 2;
    const end = new Promise<RawEnd>((resolve) => {
      if (this.#socket.destroyed) resolve("closed");
      else this.#streams.set(id, { status: 0, text: "", resolve });
    });
    this.#sendFrame(FRAME.HEADERS, END_HEADERS | (body === undefined ? END_STREAM : 0), id, encodeFields(fields));
    if (body !== undefined) this.#sendBody(id, Buffer.from(body, "latin1"), isComplete);
    return end;
  }

  /** Sends a request whose body stays open, with a DATA frame for each byte. Resolves when the server has read the frames. */
  sendBytes(fields: RawFields, body: Buffer): Promise<void> {
    const id = this.#nextId;
    void this.send(fields, "", false);
    const frames = Buffer.alloc(body.length * (HEAD_BYTES + 1));
    body.forEach((byte, index) => {
      const at = index * (HEAD_BYTES + 1);
      frames[at + 2] = 1;
      frames.writeUInt32BE(id, at + 5);
      frames[at + HEAD_BYTES] = byte;
    });
    this.#socket.write(frames);
    this.#sendFrame(FRAME.PING, 0, 0, Buffer.alloc(8));
    return new Promise((resolve) => this.#pings.push(resolve));
  }

  #sendBody(id: number, body: Buffer, isComplete: boolean): void {
    let at = 0;
    for (; body.length - at > MAX_FRAME_BYTES; at += MAX_FRAME_BYTES) {
      this.#sendFrame(FRAME.DATA, 0, id, body.subarray(at, at + MAX_FRAME_BYTES));
    }
    this.#sendFrame(FRAME.DATA, isComplete ? END_STREAM : 0, id, body.subarray(at));
  }

  #sendFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(streamId, 5);
    this.#socket.write(Buffer.concat([head, payload]));
  }

  /** Resets the first stream with CANCEL. */
  reset(): void {
    this.#sendFrame(FRAME.RST_STREAM, 0, 1, uint32(8));
  }

  /** Causes a connection error: DATA on stream 0 (RFC 9113 section 6.1). */
  breakProtocol(): void {
    this.#sendFrame(FRAME.DATA, 0, 0, Buffer.of(0));
  }

  disconnect(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    while (this.#unread.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + this.#unread.readUIntBE(0, 3);
      if (this.#unread.length < end) return;
      const [type = 0, flags = 0] = this.#unread.subarray(3);
      this.#receive(type, flags, this.#unread.readUInt32BE(5), this.#unread.subarray(HEAD_BYTES, end));
      this.#unread = this.#unread.subarray(end);
    }
  }

  #receive(type: number, flags: number, streamId: number, payload: Buffer): void {
    if ((type === FRAME.SETTINGS || type === FRAME.PING) && (flags & ACK) === 0) {
      this.#sendFrame(type, ACK, 0, type === FRAME.PING ? payload : Buffer.alloc(0));
    }
    if (type === FRAME.PING && (flags & ACK) !== 0) this.#pings.shift()?.();
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    if (type === FRAME.HEADERS && stream.status === 0) stream.status = readStatus(payload);
    if (type === FRAME.DATA) stream.text += payload.toString("latin1");
    const isEnded = (type === FRAME.HEADERS || type === FRAME.DATA) && (flags & END_STREAM) !== 0;
    if (isEnded) this.#end(streamId, { status: stream.status, text: stream.text });
    else if (type === FRAME.RST_STREAM) this.#end(streamId, { resetCode: payload.readUInt32BE() });
  }

  #end(streamId: number, end: RawEnd): void {
    this.#streams.get(streamId)?.resolve(end);
    this.#streams.delete(streamId);
  }
}

/** Encodes literal fields that are not indexed (RFC 7541 section 6.2.2). */
function encodeFields(fields: RawFields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), encodeString(name), encodeString(value)]));
}

function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([encodeLength(bytes.length), bytes]);
}

/** Encodes an integer with a prefix of 7 bits (RFC 7541 section 5.1). */
function encodeLength(length: number): Buffer {
  if (length < 127) return Buffer.of(length);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** The statuses of the static table (RFC 7541 appendix A), from index 8 on. */
const INDEXED = [200, 204, 206, 304, 400, 404, 500];
const FIRST_INDEX = 8;
/** The Huffman codes of the digits (RFC 7541 appendix B). */
const DIGIT_CODES = [
  "00000",
  "00001",
  "00010",
  ...["011001", "011010", "011011", "011100", "011101", "011110", "011111"],
];

/** Reads `:status`, the first field of a response. */
function readStatus(block: Buffer): number {
  let at = 0;
  // Skips updates of the dynamic table size, which precede the fields.
  while (((block[at] ?? 0) & 0xe0) === 0x20) at++;
  const first = block[at] ?? 0;
  if ((first & 0x80) !== 0) return INDEXED[(first & 0x7f) - FIRST_INDEX] ?? 0;
  const prefix = block[at + 1] ?? 0;
  const bytes = block.subarray(at + 2, at + 2 + (prefix & 0x7f));
  if ((prefix & 0x80) === 0) return Number(bytes.toString("latin1"));
  let bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  let text = "";
  while (text.length < 3) {
    const digit = DIGIT_CODES.findIndex((code) => bits.startsWith(code));
    text += digit;
    bits = bits.slice(DIGIT_CODES[digit]?.length);
  }
  return Number(text);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
