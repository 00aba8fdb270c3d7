import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Flag, FrameType } from "./frame.js";
import { PREFACE } from "./frame-reader.js";
import { encodeFields } from "./hpack/hpack-encoder.js";
import { ErrorCode } from "./http2-error.js";
import { Http2Exchange } from "./http2-exchange.js";
import type { Http2Stream } from "./http2-stream.js";
import { GET, POST, type TestFrame, TestPeer } from "./testing/test-peer.js";

const OK = [":status", "200"];
const PEER = { address: "192.0.2.1", port: 1, isEncrypted: false, tlsClient: undefined };
const { END_STREAM, END_HEADERS, PADDED, PRIORITY, ACK } = Flag;

/** Responds with the path of the request. */
function respond(stream: Http2Stream): void {
  stream.receive({
    onData: (chunk) => stream.consume(chunk.length),
    onEnd: () => stream.respond(OK, Buffer.from(stream.head.path), ["x-end", "1"]),
    onAbort: () => {},
  });
}

/** Does nothing with a stream. */
function ignore(): void {}

/** Expects that the connection serves a new stream. */
async function expectAlive(peer: TestPeer, streamId: number): Promise<void> {
  peer.headers(streamId, GET);
  const frame = await peer.next(({ type, streamId: id }) => type === FrameType.HEADERS && id === streamId);
  expect(peer.decoder.decode(frame?.payload ?? Buffer.alloc(0))).toEqual(OK);
}

/** Reads DATA frames until their payloads have at least so many bytes. Returns the number of bytes read. */
async function read(peer: TestPeer, bytes: number): Promise<number> {
  let size = 0;
  while (size < bytes) size += (await peer.next(({ type }) => type === FrameType.DATA))?.payload.length ?? Number.NaN;
  return size;
}

function settings(...pairs: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  pairs.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  });
  return payload;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

describe("a connection", () => {
  test("begins with SETTINGS and a larger window", async () => {
    await using peer = await TestPeer.connect(respond);
    const first = await peer.next(() => true);
    expect(first).toMatchObject({ type: FrameType.SETTINGS, flags: 0, streamId: 0 });
    expect(await peer.next(() => true)).toMatchObject({ type: FrameType.WINDOW_UPDATE, streamId: 0 });
  });

  test("acknowledges settings and pings", async () => {
    await using peer = await TestPeer.open(respond);
    const frame = await peer.next(({ type, flags }) => type === FrameType.SETTINGS && flags === ACK);
    expect(frame?.payload).toHaveLength(0);
    peer.frame(FrameType.PING, 0, 0, Buffer.from("abcdefgh"));
    const ping = await peer.next();
    expect(ping).toMatchObject({ type: FrameType.PING, flags: ACK });
    expect(String(ping?.payload)).toBe("abcdefgh");
  });

  test.each([
    ["padding", headersWith(PADDED, (block) => [[3], block, [0, 0, 0]])],
    ["a priority", headersWith(PRIORITY, (block) => [[0, 0, 0, 0, 16], block])],
    ["both", headersWith(PADDED | PRIORITY, (block) => [[2], [0x80, 0, 0, 0, 1], block, [0, 0]])],
  ])("accepts headers with %s", async (_, send) => {
    await using peer = await TestPeer.open(respond);
    send(peer);
    expect(await peer.next()).toMatchObject({ type: FrameType.HEADERS, streamId: 1 });
  });

  test("accepts headers in several frames, and frames in single bytes", async () => {
    await using peer = await TestPeer.open(respond);
    const block = encodeFields(GET);
    peer.frame(FrameType.HEADERS, END_STREAM, 1, block.subarray(0, 1));
    peer.frame(FrameType.CONTINUATION, 0, 1, block.subarray(1, 5));
    peer.frame(FrameType.CONTINUATION, END_HEADERS, 1, block.subarray(5));
    expect(await peer.next()).toMatchObject({ type: FrameType.HEADERS, streamId: 1 });
    await using slow = await TestPeer.connect(respond);
    slow.socket.setNoDelay(true);
    for (const byte of Buffer.concat([PREFACE, Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])])) {
      slow.send(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    expect(await slow.roundTrip()).toBe(true);
  });

  test("buffers a body until its receiver is set", async () => {
    const opened = Promise.withResolvers<Http2Stream>();
    await using peer = await TestPeer.open(opened.resolve);
    peer.headers(1, POST, false);
    peer.data(1, "early, ");
    peer.data(1, "and complete", true);
    await peer.roundTrip();
    const stream = await opened.promise;
    const taken: string[] = [];
    stream.receive({
      onData: (chunk) => taken.push(String(chunk)),
      onEnd: () => taken.push("the end"),
      onAbort: () => {},
    });
    expect(taken).toEqual(["early, ", "and complete", "the end"]);
  });

  test("ignores frames only on the last 1024 streams that it has reset", async () => {
    await using peer = await TestPeer.open((stream) => stream.reset(ErrorCode.CANCEL), { isShared: true });
    for (let id = 1; id < 2 * 1100; id += 2) peer.headers(id, POST, false);
    peer.data(2199, "x");
    await peer.roundTrip();
    peer.data(1, "x");
    const closed = ({ type, payload }: TestFrame) =>
      type === FrameType.RST_STREAM && payload.readUInt32BE() === ErrorCode.STREAM_CLOSED;
    expect(await peer.next(closed)).toMatchObject({ streamId: 1 });
  });

  test("ignores unknown frames, settings and flags", async () => {
    await using peer = await TestPeer.open(respond);
    peer.frame(0xfa, 0xff, 0, [1, 2, 3]);
    peer.frame(0xfa, 0xff, 1, [1, 2, 3]);
    peer.frame(FrameType.SETTINGS, 0, 0, settings([0xff, 7]));
    peer.frame(FrameType.PING, 0xfe, 0, Buffer.alloc(8));
    await expectAlive(peer, 1);
  });

  test("sends large headers in several frames", async () => {
    const large = ["x-large", "x".repeat(50_000)];
    await using peer = await TestPeer.open((stream) => stream.respond([...OK, ...large], Buffer.from("x"), large));
    peer.headers(1, GET);
    const blocks: Buffer[][] = [[], []];
    const isLast = ({ flags }: { readonly flags: number }) => (flags & END_HEADERS) !== 0;
    for (const block of blocks) {
      for (;;) {
        const frame = await peer.next(({ type }) => type === FrameType.HEADERS || type === FrameType.CONTINUATION);
        if (frame === undefined) return expect.unreachable("the connection should go on");
        block.push(frame.payload);
        if (isLast(frame)) break;
      }
    }
    expect(blocks.map((block) => peer.decoder.decode(Buffer.concat(block)))).toEqual([[...OK, ...large], large]);
  });

  test("sends response-specific headers after the other headers, in one write or several", async () => {
    const large = ["x-large", "x".repeat(50_000)];
    await using peer = await TestPeer.open((stream) => {
      const own = stream.id === 5 ? large : ["x-own", String(stream.id)];
      // More than the window of the stream.
      const body = Buffer.alloc(stream.id === 3 ? 70_000 : 1);
      stream.respond(OK, body, ["x-end", "1"], own);
    });
    const isHeaders = ({ type }: TestFrame) => type === FrameType.HEADERS || type === FrameType.CONTINUATION;
    for (const [id, own] of [
      [1, ["x-own", "1"]],
      [3, ["x-own", "3"]],
      [5, large],
    ] as const) {
      peer.headers(id, GET);
      const payloads: Buffer[] = [];
      let frame: TestFrame | undefined;
      do {
        frame = await peer.next((each) => isHeaders(each) && each.streamId === id);
        payloads.push(frame?.payload ?? Buffer.alloc(0));
      } while (frame !== undefined && (frame.flags & END_HEADERS) === 0);
      expect(peer.decoder.decode(Buffer.concat(payloads))).toEqual([...OK, ...own]);
    }
  });

  test("closes only the stream that the client resets", async () => {
    const errors: unknown[] = [];
    await using peer = await TestPeer.open((stream) => {
      if (stream.id > 1) respond(stream);
      else stream.receive({ onData: ignore, onEnd: ignore, onAbort: (error) => errors.push(error) });
    });
    peer.headers(1, POST, false);
    peer.frame(FrameType.RST_STREAM, 0, 1, uint32(ErrorCode.CANCEL));
    await expectAlive(peer, 3);
    expect(errors).toEqual([undefined]);
  });

  test("closes all streams when the connection is lost", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    await using peer = await TestPeer.open((stream) =>
      stream.receive({ onData: ignore, onEnd: ignore, onAbort: resolve }),
    );
    peer.headers(1, POST, false);
    await peer.roundTrip();
    peer.socket.destroy();
    expect(await promise).toBeUndefined();
  });

  test("ignores frames that still arrive on a stream that it has reset", async () => {
    const refuse = (stream: Http2Stream) => stream.respond(OK, Buffer.from("no"), ["x-end", "1"]);
    await using peer = await TestPeer.open(refuse, { bodyTimeoutMs: 100 });
    peer.headers(1, POST, false);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.NO_ERROR });
    // More than the window of the connection, which is widened by the ignored bytes.
    for (let turn = 0; turn < 100; turn++) {
      peer.data(1, Buffer.alloc(16_000));
      if (turn % 16 === 15) await peer.roundTrip();
    }
    peer.frame(FrameType.WINDOW_UPDATE, 0, 1, uint32(100));
    peer.headers(1, ["x-late", "1"]);
    await expectAlive(peer, 3);
    expect(peer.frames.filter(({ type }) => type === FrameType.RST_STREAM)).toHaveLength(1);
  });
});

function headersWith(flags: number, layout: (block: Buffer) => readonly (Buffer | readonly number[])[]) {
  return (peer: TestPeer) => {
    const parts = layout(encodeFields(GET)).map((part) => Uint8Array.from(part));
    peer.frame(FrameType.HEADERS, END_HEADERS | END_STREAM | flags, 1, Buffer.concat(parts));
  };
}

type Violation = readonly [name: string, act: (peer: TestPeer) => void, code: number];

const VIOLATIONS: readonly Violation[] = [
  ["DATA on stream 0", (peer) => peer.data(0, "x"), ErrorCode.PROTOCOL_ERROR],
  ["DATA on an idle stream", (peer) => peer.data(1, "x"), ErrorCode.PROTOCOL_ERROR],
  [
    "padding as long as the frame",
    (peer) => {
      peer.headers(1, POST, false);
      peer.frame(FrameType.DATA, PADDED, 1, [3, 0, 0]);
    },
    ErrorCode.PROTOCOL_ERROR,
  ],
  ["HEADERS on stream 0", (peer) => peer.headers(0, GET), ErrorCode.PROTOCOL_ERROR],
  ["HEADERS on an even stream", (peer) => peer.headers(2, GET), ErrorCode.PROTOCOL_ERROR],
  [
    "a stream with a lower id than one before",
    (peer) => {
      peer.headers(5, GET);
      peer.headers(3, GET);
    },
    ErrorCode.STREAM_CLOSED,
  ],
  ["HEADERS too short for their priority", (peer) => peer.frame(1, 0x25, 1, [0, 0]), ErrorCode.FRAME_SIZE_ERROR],
  ["a block that cannot be decoded", (peer) => peer.frame(1, 0x5, 1, [0xff, 0xff]), ErrorCode.COMPRESSION_ERROR],
  ["RST_STREAM on stream 0", (peer) => peer.frame(3, 0, 0, uint32(8)), ErrorCode.PROTOCOL_ERROR],
  ["RST_STREAM on an idle stream", (peer) => peer.frame(3, 0, 1, uint32(8)), ErrorCode.PROTOCOL_ERROR],
  ["RST_STREAM of 3 bytes", (peer) => peer.frame(3, 0, 1, [0, 0, 0]), ErrorCode.FRAME_SIZE_ERROR],
  ["SETTINGS on a stream", (peer) => peer.frame(4, 0, 1), ErrorCode.PROTOCOL_ERROR],
  ["SETTINGS of 5 bytes", (peer) => peer.frame(4, 0, 0, [0, 0, 0, 0, 0]), ErrorCode.FRAME_SIZE_ERROR],
  ["an ACK of settings with a payload", (peer) => peer.frame(4, ACK, 0, [0]), ErrorCode.FRAME_SIZE_ERROR],
  ["ENABLE_PUSH of 2", (peer) => peer.frame(4, 0, 0, settings([2, 2])), ErrorCode.PROTOCOL_ERROR],
  ["a window of 2³¹", (peer) => peer.frame(4, 0, 0, settings([4, 2 ** 31])), ErrorCode.FLOW_CONTROL_ERROR],
  ["MAX_FRAME_SIZE of 16383", (peer) => peer.frame(4, 0, 0, settings([5, 16_383])), ErrorCode.PROTOCOL_ERROR],
  ["MAX_FRAME_SIZE of 2²⁴", (peer) => peer.frame(4, 0, 0, settings([5, 2 ** 24])), ErrorCode.PROTOCOL_ERROR],
  ["PUSH_PROMISE", (peer) => peer.frame(5, 4, 1, uint32(2)), ErrorCode.PROTOCOL_ERROR],
  ["PING on a stream", (peer) => peer.frame(6, 0, 1, Buffer.alloc(8)), ErrorCode.PROTOCOL_ERROR],
  ["PING of 7 bytes", (peer) => peer.frame(6, 0, 0, Buffer.alloc(7)), ErrorCode.FRAME_SIZE_ERROR],
  ["GOAWAY on a stream", (peer) => peer.frame(7, 0, 1, Buffer.alloc(8)), ErrorCode.PROTOCOL_ERROR],
  ["GOAWAY of 7 bytes", (peer) => peer.frame(7, 0, 0, Buffer.alloc(7)), ErrorCode.FRAME_SIZE_ERROR],
  ["WINDOW_UPDATE of 3 bytes", (peer) => peer.frame(8, 0, 0, [0, 0, 1]), ErrorCode.FRAME_SIZE_ERROR],
  ["WINDOW_UPDATE by 0", (peer) => peer.windowUpdate(0, 0), ErrorCode.PROTOCOL_ERROR],
  ["WINDOW_UPDATE of an idle stream", (peer) => peer.windowUpdate(1, 1), ErrorCode.PROTOCOL_ERROR],
  [
    "a window of the connection over 2³¹ - 1",
    (peer) => peer.windowUpdate(0, 2 ** 31 - 1),
    ErrorCode.FLOW_CONTROL_ERROR,
  ],
  [
    "settings that make the window of a stream too large",
    (peer) => {
      peer.headers(1, POST, false);
      peer.windowUpdate(1, 2 ** 31 - 1 - 65_535);
      peer.frame(4, 0, 0, settings([4, 65_536]));
    },
    ErrorCode.FLOW_CONTROL_ERROR,
  ],
  ["CONTINUATION of nothing", (peer) => peer.frame(9, 4, 1, [0x82]), ErrorCode.PROTOCOL_ERROR],
  [
    "headers that another frame interrupts",
    (peer) => {
      peer.frame(FrameType.HEADERS, END_STREAM, 1, [0x82]);
      peer.frame(FrameType.PING, 0, 0, Buffer.alloc(8));
    },
    ErrorCode.PROTOCOL_ERROR,
  ],
  [
    "headers that continue on another stream",
    (peer) => {
      peer.frame(FrameType.HEADERS, END_STREAM, 1, [0x82]);
      peer.frame(FrameType.CONTINUATION, END_HEADERS, 3, [0x82]);
    },
    ErrorCode.PROTOCOL_ERROR,
  ],
  ["a frame of 16 385 bytes", (peer) => peer.frame(0xfa, 0, 0, Buffer.alloc(16_385)), ErrorCode.FRAME_SIZE_ERROR],
];

describe("a connection ends after", () => {
  test.each(VIOLATIONS)("%s", async (_, act, code) => {
    await using peer = await TestPeer.open((stream) =>
      stream.receive({ onData: ignore, onEnd: ignore, onAbort: ignore }),
    );
    act(peer);
    expect(await peer.failure()).toEqual({ of: "connection", code });
    peer.socket.end();
    expect(await peer.next(() => false)).toBeUndefined();
  });

  test.each([
    ["an invalid preface", Buffer.from("GET / HTTP/1.1\r\n\r\n".padEnd(24))],
    ["a preface without SETTINGS", Buffer.concat([PREFACE, Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0]), Buffer.alloc(8)])],
  ])("%s", async (_, bytes) => {
    await using peer = await TestPeer.connect(ignore);
    peer.send(bytes);
    expect(await peer.failure()).toEqual({ of: "connection", code: ErrorCode.PROTOCOL_ERROR });
  });

  test("more data than its window", async () => {
    await using peer = await TestPeer.open((stream) =>
      stream.receive({ onData: ignore, onEnd: ignore, onAbort: ignore }),
    );
    for (let id = 1; id < 11; id += 2) {
      peer.headers(id, POST, false);
      for (let turn = 0; turn < 16; turn++) peer.data(id, Buffer.alloc(16_384));
    }
    expect(await peer.failure()).toEqual({ of: "connection", code: ErrorCode.FLOW_CONTROL_ERROR });
  });
});

const BAD_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ["no method", [":scheme", "http", ":path", "/"]],
  ["no scheme", [":method", "GET", ":path", "/"]],
  ["no path", [":method", "GET", ":scheme", "http"]],
  ["an empty path", [":method", "GET", ":scheme", "http", ":path", ""]],
  ["two methods", [":method", "GET", ...GET]],
  ["an unknown pseudo-header", [...GET, ":x", "1"]],
  ["a status", [...GET, ":status", "200"]],
  ["a pseudo-header after a header", [":method", "GET", "x-a", "1", ":scheme", "http", ":path", "/"]],
  ["capitals in a name", [...GET, "X-A", "1"]],
  ["a space in a name", [...GET, "x a", "1"]],
  ["an empty name", [...GET, "", "1"]],
  ["connection", [...GET, "connection", "close"]],
  ["transfer-encoding", [...GET, "transfer-encoding", "chunked"]],
  ["te other than trailers", [...GET, "te", "gzip"]],
  ["a space around a value", [...GET, "x-a", " 1"]],
  ["a path that does not begin with a slash", [...GET.slice(0, 4), ":path", "http://localhost/"]],
  ["CONNECT with a path", [":method", "CONNECT", ":path", "/", ":authority", "a:1"]],
  ["a content-length without a body", [...POST, "content-length", "1"]],
  ["a content-length that is not a number", [...POST, "content-length", "+1"]],
  ["two different content-lengths", [...POST, "content-length", "0", "content-length", "1"]],
];

describe("only a stream ends after", () => {
  test.each(BAD_HEADERS)("headers with %s", async (_, fields) => {
    await using peer = await TestPeer.open(respond);
    peer.headers(1, fields);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.PROTOCOL_ERROR });
    await expectAlive(peer, 3);
  });

  test.each([
    ["a different host", ["host", "example.com"]],
    ["a different port", ["host", "localhost:8080"]],
    ["the same host twice", ["host", "localhost", "host", "localhost"]],
  ])("%s beside :authority, with status 400", async (_, fields) => {
    await using peer = await TestPeer.open(respond);
    peer.headers(1, [...GET, ...fields]);
    expect(await peer.response(1)).toEqual([":status", "400"]);
    await expectAlive(peer, 3);
  });

  test.each([
    ["the same host", ["host", "localhost"]],
    ["the same host in capitals with the default port", ["host", "LOCALHOST:80"]],
  ])("a normal response for %s beside :authority", async (_, fields) => {
    await using peer = await TestPeer.open(respond);
    peer.headers(1, [...GET, ...fields]);
    expect(await peer.response(1)).toEqual(OK);
  });

  const cases: readonly (readonly [string, (peer: TestPeer) => void, number])[] = [
    [
      "a body that is longer than content-length",
      (peer) => {
        peer.headers(1, [...POST, "content-length", "3"], false);
        peer.data(1, "four");
      },
      ErrorCode.PROTOCOL_ERROR,
    ],
    [
      "a body that is shorter than content-length",
      (peer) => {
        peer.headers(1, [...POST, "content-length", "3"], false);
        peer.data(1, "tw", true);
      },
      ErrorCode.PROTOCOL_ERROR,
    ],
    [
      "headers within a body",
      (peer) => {
        peer.headers(1, POST, false);
        peer.headers(1, ["x-a", "1"], false);
      },
      ErrorCode.PROTOCOL_ERROR,
    ],
    [
      "a pseudo-header in trailers",
      (peer) => {
        peer.headers(1, POST, false);
        peer.headers(1, [":path", "/"]);
      },
      ErrorCode.PROTOCOL_ERROR,
    ],
    [
      "WINDOW_UPDATE by 0",
      (peer) => {
        peer.headers(1, POST, false);
        peer.windowUpdate(1, 0);
      },
      ErrorCode.PROTOCOL_ERROR,
    ],
    [
      "a window over 2³¹ - 1",
      (peer) => {
        peer.headers(1, POST, false);
        peer.windowUpdate(1, 2 ** 31 - 1);
      },
      ErrorCode.FLOW_CONTROL_ERROR,
    ],
    [
      "a PRIORITY of 4 bytes",
      (peer) => {
        peer.headers(1, POST, false);
        peer.frame(FrameType.PRIORITY, 0, 1, [0, 0, 0, 0]);
      },
      ErrorCode.FRAME_SIZE_ERROR,
    ],
    [
      "DATA after END_STREAM",
      (peer) => {
        peer.headers(1, [":method", "PUT", ...GET.slice(2)]);
        peer.data(1, "x");
      },
      ErrorCode.STREAM_CLOSED,
    ],
  ];
  test.each(cases)("%s", async (_, act, code) => {
    await using peer = await TestPeer.open((stream) => {
      if (stream.head.method === "GET") respond(stream);
      else stream.receive({ onData: ignore, onEnd: ignore, onAbort: ignore });
    });
    act(peer);
    expect(await peer.failure()).toEqual({ of: "stream", code });
    await expectAlive(peer, 3);
  });

  test("more data than its window", async () => {
    await using peer = await TestPeer.open((stream) => {
      if (stream.id > 1) respond(stream);
    });
    peer.headers(1, POST, false);
    for (let turn = 0; turn < 17; turn++) peer.data(1, Buffer.alloc(16_384));
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.FLOW_CONTROL_ERROR });
    await expectAlive(peer, 3);
  });

  test("being opened beyond maxStreams", async () => {
    await using peer = await TestPeer.open(ignore);
    for (let id = 1; id < 2 * 257; id += 2) peer.headers(id, GET);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.REFUSED_STREAM });
    peer.frame(FrameType.RST_STREAM, 0, 1, uint32(ErrorCode.CANCEL));
    peer.headers(601, GET);
    expect(await peer.roundTrip()).toBe(true);
    expect(peer.frames.filter(({ type }) => type === FrameType.RST_STREAM)).toHaveLength(1);
  });
});

describe("floods", () => {
  test("do not include a ping after each response, by which clients estimate their bandwidth", async () => {
    await using peer = await TestPeer.open((stream) => stream.respond(OK, Buffer.from("x"), ["x-end", "1"]));
    for (let turn = 0; turn < 15_000; turn++) {
      peer.headers(2 * turn + 1, GET);
      const payload = Buffer.from(String(turn).padStart(8, "0"));
      peer.frame(FrameType.PING, 0, 0, payload);
      if (turn % 100 < 99) continue;
      const pong = await peer.next((frame) => frame.type === FrameType.PING && frame.payload.equals(payload));
      expect(pong).toBeDefined();
    }
  });

  const CALM = { of: "connection", code: ErrorCode.ENHANCE_YOUR_CALM };

  test.each([
    ["pings", FrameType.PING, 0, Buffer.alloc(8)],
    ["settings", FrameType.SETTINGS, 0, Buffer.alloc(0)],
    ["priorities", FrameType.PRIORITY, 1, Buffer.alloc(5)],
    ["unknown frames", 0xfa, 0, Buffer.alloc(0)],
    ["empty DATA", FrameType.DATA, 1, Buffer.alloc(0)],
  ])("of %s end the connection", async (_, type, streamId, payload) => {
    await using peer = await TestPeer.open(ignore);
    peer.headers(1, POST, false);
    for (let turn = 0; turn < 30_000; turn++) peer.frame(type, 0, streamId, payload);
    expect(await peer.failure()).toEqual(CALM);
  });

  test("of requests whose responses are not read end the connection", async () => {
    await using peer = await TestPeer.open((stream) =>
      stream.sendHeaders([":status", "200", "x-a", "x".repeat(8000)], true),
    );
    peer.socket.pause();
    const closed = once(peer.connection.socket, "close");
    for (let id = 1; id < 20_000; id += 2) peer.headers(id, GET);
    await closed;
  });
});

describe("flow-control windows", () => {
  const BODY = Buffer.alloc(200_000, "x");

  function send(stream: Http2Stream): void {
    stream.respond(OK, BODY, ["x-end", "1"]);
  }

  test("of a stream and of the connection limit the sent data", async () => {
    await using peer = await TestPeer.open(send);
    peer.headers(1, GET);
    expect(await read(peer, 65_535)).toBe(65_535);
    peer.windowUpdate(1, 1000);
    await peer.roundTrip();
    peer.windowUpdate(0, 400);
    expect(await read(peer, 400)).toBe(400);
    peer.windowUpdate(0, 1_000_000);
    expect(await read(peer, 600)).toBe(600);
    peer.windowUpdate(1, 1_000_000);
    expect(await read(peer, 200_000 - 66_535)).toBe(200_000 - 66_535);
    expect(await peer.next()).toMatchObject({ type: FrameType.HEADERS, flags: END_HEADERS | END_STREAM });
  });

  test("are adjusted by SETTINGS, even below 0", async () => {
    await using peer = await TestPeer.open(send);
    peer.windowUpdate(0, 1_000_000);
    peer.headers(1, GET);
    expect(await read(peer, 65_535)).toBe(65_535);
    peer.frame(FrameType.SETTINGS, 0, 0, settings([4, 1000]));
    peer.windowUpdate(1, 64_535);
    await peer.roundTrip();
    peer.windowUpdate(1, 1);
    expect(await read(peer, 1)).toBe(1);
    peer.frame(FrameType.SETTINGS, 0, 0, settings([4, 1_000_000]));
    expect(await read(peer, 200_000 - 65_536)).toBe(200_000 - 65_536);
  });

  test("limit small responses too", async () => {
    await using peer = await TestPeer.open((stream) => stream.respond(OK, Buffer.alloc(1000), ["x-end", "1"]));
    for (let id = 1; id < 2 * 100; id += 2) peer.headers(id, GET);
    expect(await read(peer, 65_535)).toBe(65_535);
    await peer.roundTrip();
    peer.windowUpdate(0, 100_000);
    expect(await read(peer, 100_000 - 65_535)).toBe(100_000 - 65_535);
  });

  test("of the connection are shared by its streams", async () => {
    await using peer = await TestPeer.open(send);
    peer.frame(FrameType.SETTINGS, 0, 0, settings([4, 2 ** 31 - 1]));
    for (const id of [1, 3, 5]) peer.headers(id, GET);
    await peer.roundTrip();
    peer.windowUpdate(0, 2 ** 30);
    const ended = new Set<number>();
    while (ended.size < 3) {
      const frame = await peer.next(({ flags, type }) => type === FrameType.HEADERS && (flags & END_STREAM) !== 0);
      ended.add(frame?.streamId ?? 0);
    }
    const bytes = peer.frames
      .filter(({ type }) => type === FrameType.DATA)
      .reduce((sum, { payload }) => sum + payload.length, 0);
    expect(bytes).toBe(600_000);
  });

  test("are widened as a body is consumed", async () => {
    await using peer = await TestPeer.open(respond);
    peer.headers(1, POST, false);
    for (let turn = 0; turn < 200; turn++) {
      peer.data(1, Buffer.alloc(16_384), turn === 199);
      if (turn % 4 === 3) await peer.roundTrip();
    }
    expect(peer.frames.find(({ type }) => type === FrameType.HEADERS)).toMatchObject({ streamId: 1 });
  });

  test("are widened by padding, and by unread data of streams that were reset", async () => {
    await using peer = await TestPeer.open((stream) => {
      if (stream.id === 1) respond(stream);
    });
    peer.headers(1, POST, false);
    for (let turn = 0; turn < 6000; turn++) {
      peer.frame(FrameType.DATA, PADDED, 1, [255, 0, ...Buffer.alloc(255)]);
      if (turn % 500 === 499) await peer.roundTrip();
    }
    for (let id = 3; id < 23; id += 2) {
      peer.headers(id, POST, false);
      for (let turn = 0; turn < 12; turn++) peer.data(id, Buffer.alloc(16_384));
      peer.frame(FrameType.RST_STREAM, 0, id, uint32(ErrorCode.CANCEL));
      await peer.roundTrip();
    }
    peer.data(1, "", true);
    expect(await peer.next(({ type }) => type === FrameType.HEADERS)).toMatchObject({ streamId: 1 });
  });

  test("are widened by data after the end of a body", async () => {
    await using peer = await TestPeer.open((stream) => {
      if (stream.id === 1) respond(stream);
    });
    peer.headers(1, POST, false);
    for (let id = 3; id < 203; id += 2) {
      peer.headers(id, POST, false);
      peer.data(id, "", true);
      peer.data(id, Buffer.alloc(16_384));
      await peer.roundTrip();
    }
    peer.data(1, Buffer.alloc(16_384), true);
    expect(await peer.next(({ type, streamId }) => type === FrameType.HEADERS && streamId === 1)).toBeDefined();
  });

  test("do not fill the output buffer of a client that does not read", async () => {
    const stream = Promise.withResolvers<Http2Stream>();
    await using peer = await TestPeer.open(stream.resolve);
    peer.frame(FrameType.SETTINGS, 0, 0, settings([4, 2 ** 31 - 1]));
    peer.windowUpdate(0, 2 ** 30);
    peer.headers(1, GET);
    const opened = await stream.promise;
    await peer.roundTrip();
    peer.socket.pause();
    opened.respond(OK, Buffer.alloc(50_000_000), ["x-end", "1"]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(peer.connection.bufferedBytes).toBeLessThan(1_000_000);
    peer.socket.resume();
    expect(await read(peer, 50_000_000)).toBe(50_000_000);
  });
});

test("accepts or rejects arbitrary frames without an internal error", async () => {
  const arbitraryFrame = fc.record({
    type: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.constantFrom(0, 1, 3, 8, 9)),
    flags: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 1, 4, 5)),
    streamId: fc.integer({ min: 0, max: 7 }),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom(GET, POST).map((fields) => encodeFields(fields)),
      fc.integer({ min: 0, max: 2 ** 31 - 1 }).map(uint32),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryFrame, { maxLength: 12 }), async (frames) => {
      await using peer = await TestPeer.open(respond);
      for (const { type, flags, streamId, payload } of frames) peer.frame(type, flags, streamId, payload);
      const isAlive = await peer.roundTrip();
      const goAway = peer.frames.find(({ type }) => type === FrameType.GOAWAY);
      // A GOAWAY from the client ends the connection too.
      expect(isAlive || goAway !== undefined).toBe(true);
      if (goAway !== undefined) expect(goAway.payload.readUInt32BE(4)).not.toBe(ErrorCode.INTERNAL_ERROR);
    }),
    { numRuns: 300 },
  );
});

describe.concurrent("a timeout ends", () => {
  const wait = (peer: TestPeer) => peer.next(() => false);
  const status = async (peer: TestPeer) => {
    const frame = await peer.next(({ type }) => type === FrameType.HEADERS);
    return peer.decoder.decode(frame?.payload ?? Buffer.alloc(0));
  };

  test("a connection with an incomplete preface", async () => {
    await using peer = await TestPeer.connect(ignore, { headerTimeoutMs: 100 });
    peer.send(PREFACE.subarray(0, 10));
    expect(await wait(peer)).toBeUndefined();
  });

  test("a connection with incomplete headers", async () => {
    await using peer = await TestPeer.open(ignore, { headerTimeoutMs: 100 });
    await peer.roundTrip();
    peer.frame(FrameType.HEADERS, 0, 1, [0x82]);
    expect(await wait(peer)).toBeUndefined();
  });

  test("a connection without streams", async () => {
    await using peer = await TestPeer.open(respond, { idleTimeoutMs: 100 });
    peer.headers(1, GET);
    expect(await peer.next(({ type }) => type === FrameType.GOAWAY)).toBeDefined();
    expect(await wait(peer)).toBeUndefined();
  });

  test("a slow body, with status 408", async () => {
    await using peer = await TestPeer.open(respond, { bodyTimeoutMs: 100, idleTimeoutMs: 60_000 });
    peer.headers(1, POST, false);
    const timer = setInterval(() => peer.data(1, "x"), 20);
    expect(await status(peer)).toEqual([":status", "408"]);
    clearInterval(timer);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.NO_ERROR });
    await expectAlive(peer, 3);
  });

  test("an open-ended body after a pause", async () => {
    let received = 0;
    const take = (stream: Http2Stream) => {
      new Http2Exchange(stream, PEER).isOpenEnded = true;
      stream.receive({ onData: () => received++, onEnd: () => {}, onAbort: () => {} });
    };
    await using peer = await TestPeer.open(take, { bodyTimeoutMs: 400 });
    peer.headers(1, POST, false);
    const sending = setInterval(() => (received < 60 ? peer.data(1, "x") : clearInterval(sending)), 20);
    expect(await status(peer)).toEqual([":status", "408"]);
    expect(received).toBe(60);
  });

  test("a stream with a slow body whose response has begun", async () => {
    await using peer = await TestPeer.open((stream) => stream.sendHeaders(OK), { bodyTimeoutMs: 100 });
    peer.headers(1, POST, false);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.CANCEL });
  });

  test("a response whose window is exhausted", async () => {
    const large = Buffer.alloc(100_000);
    await using peer = await TestPeer.open((stream) => stream.respond(OK, large, ["x-end", "1"]), {
      sendTimeoutMs: 100,
    });
    peer.headers(1, GET);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.CANCEL });
  });

  test("a connection whose client does not read", async () => {
    const large = Buffer.alloc(20_000_000);
    await using peer = await TestPeer.open((stream) => stream.respond(OK, large, ["x-end", "1"]), {
      sendTimeoutMs: 200,
    });
    const closed = once(peer.connection.socket, "close");
    peer.frame(FrameType.SETTINGS, 0, 0, settings([4, 2 ** 30]));
    peer.windowUpdate(0, 2 ** 30);
    peer.headers(1, GET);
    await peer.next(({ type }) => type === FrameType.DATA);
    peer.socket.pause();
    await closed;
  });
});

test("refuses new streams while too many response bytes are unsent", async () => {
  const large = Buffer.alloc(20 * 1024 * 1024);
  await using peer = await TestPeer.open((stream) => stream.respond(OK, large, ["x-end", "1"]));
  peer.headers(1, GET);
  await peer.roundTrip();
  peer.headers(3, GET);
  expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.REFUSED_STREAM });
  expect(peer.connection.unsentBytes).toBeGreaterThan(large.length / 2);
});

describe("closing a connection", () => {
  test("waits for its open streams, and ignores new ones", async () => {
    const streams: Http2Stream[] = [];
    await using peer = await TestPeer.open((stream) => streams.push(stream));
    peer.headers(1, GET);
    await peer.roundTrip();
    peer.connection.close();
    const goAway = await peer.next();
    expect(goAway).toMatchObject({ type: FrameType.GOAWAY });
    expect(goAway?.payload.readUInt32BE(0)).toBe(1);
    peer.headers(3, GET);
    await peer.roundTrip();
    expect(streams).toHaveLength(1);
    streams[0]?.respond(OK, Buffer.from("done"), ["x-end", "1"]);
    expect(await peer.next(({ type }) => type === FrameType.DATA)).toMatchObject({ payload: Buffer.from("done") });
    expect(await peer.next(() => false)).toBeUndefined();
  });

  test("gives the client time to read its responses", async () => {
    const body = Buffer.alloc(60_000);
    await using peer = await TestPeer.open((stream) => stream.respond(OK, body, ["x-end", "1"]));
    peer.frame(FrameType.SETTINGS, 0, 0, settings([4, 2 ** 31 - 1]));
    peer.windowUpdate(0, 2 ** 30);
    await peer.roundTrip();
    peer.socket.pause();
    let count = 0;
    // Fills the system's buffers.
    for (let isFull = false; !isFull; isFull = peer.connection.bufferedBytes > body.length) {
      peer.headers(2 * count++ + 1, GET);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    peer.connection.close();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    peer.socket.resume();
    expect(await read(peer, count * body.length)).toBe(count * body.length);
  });

  test("follows a GOAWAY from the client, after its open streams", async () => {
    await using peer = await TestPeer.open(respond);
    peer.headers(1, GET);
    peer.frame(FrameType.GOAWAY, 0, 0, Buffer.alloc(8));
    expect(await peer.next(({ type }) => type === FrameType.DATA)).toBeDefined();
    expect(await peer.next(() => false)).toBeUndefined();
  });
});
