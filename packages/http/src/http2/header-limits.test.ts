import { describe, expect, test } from "vitest";
import { Flag, FrameType } from "./frame.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { encodeFields } from "./hpack/hpack-encoder.js";
import { ErrorCode } from "./http2-error.js";
import type { Http2Stream } from "./http2-stream.js";
import { GET, POST, TestPeer } from "./testing/test-peer.js";

const OK = [":status", "200"];
const NO_BODY = Buffer.alloc(0);
const MAX_HEADER_BYTES = 16 * 1024;
/** A dynamic table size update to 4096, which replaces the first byte of an encoded block. */
const TABLE = Buffer.from("3fe11f", "hex");
/** A reference to the newest entry of the dynamic table. */
const FIRST_ENTRY = Buffer.from([0x80 | 62]);

function respond(stream: Http2Stream): void {
  stream.receive({ onData() {}, onEnd: () => stream.respond(OK, NO_BODY, ["x-end", "1"]), onAbort() {} });
}

/** Opens a connection, and records the header fields of refused streams. */
async function open() {
  const refused: HeaderFields[] = [];
  const refuse = (stream: Http2Stream) => {
    refused.push(stream.head.fields);
    stream.sendHeaders([":status", "431"], true);
  };
  const peer = await TestPeer.open(respond, { maxHeaderBytes: MAX_HEADER_BYTES, refuse });
  return { peer, refused };
}

const LARGE_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ["one field of 17 KB", ["cookie", "x".repeat(17_000)]],
  ["one field of 60 KB", ["cookie", "x".repeat(60_000)]],
  ["a path of 17 KB", [":path", `/${"x".repeat(17_000)}`]],
  ["a thousand fields", Array.from({ length: 1000 }, (_, index) => [`x-${index}`, "x".repeat(40)]).flat()],
];

describe("headers beyond the limit", () => {
  test.each(LARGE_HEADERS)("affect only their stream: %s", async (_, large) => {
    const opened = await open();
    await using peer = opened.peer;
    peer.headers(1, POST, false);
    const fields = large[0] === ":path" ? [...GET.slice(0, 4), ...large] : [...GET, ...large];
    peer.headerBlock(3, encodeFields(fields));
    expect(await peer.response(3)).toEqual([":status", "431"]);
    peer.data(1, "the rest", true);
    expect(await peer.response(1)).toEqual(OK);
    peer.headers(5, GET);
    expect(await peer.response(5)).toEqual(OK);
    expect(peer.frames.some(({ type }) => type === FrameType.GOAWAY)).toBe(false);
  });

  test("keep the HPACK table of the connection in sync", async () => {
    const opened = await open();
    await using peer = opened.peer;
    const large = encodeFields([...GET, "x-large", "x".repeat(17_000)]);
    peer.headerBlock(1, Buffer.concat([TABLE, large.subarray(1), indexed("x-a", "kept")]));
    expect(await peer.response(1)).toEqual([":status", "431"]);
    peer.headerBlock(3, Buffer.concat([TABLE, encodeFields(GET).subarray(1), FIRST_ENTRY]));
    expect(await peer.response(3)).toEqual(OK);
  });

  test("are passed to the refusal handler as far as they fit", async () => {
    const opened = await open();
    await using peer = opened.peer;
    const type = ["content-type", "application/grpc"];
    peer.headerBlock(1, encodeFields([...POST, "x-large", "x".repeat(17_000), ...type]));
    await peer.response(1);
    expect(opened.refused).toEqual([[...POST, ...type]]);
  });

  test("reset only their stream if they are trailers", async () => {
    const opened = await open();
    await using peer = opened.peer;
    peer.headers(1, POST, false);
    peer.headerBlock(1, encodeFields(["x-large", "x".repeat(17_000)]));
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.ENHANCE_YOUR_CALM });
    peer.headers(3, GET);
    expect(await peer.response(3)).toEqual(OK);
  });

  test("end the connection beyond four times the limit", async () => {
    const opened = await open();
    await using peer = opened.peer;
    peer.headerBlock(1, encodeFields([...GET, "cookie", "x".repeat(4 * MAX_HEADER_BYTES)]));
    expect(await peer.failure()).toEqual({ of: "connection", code: ErrorCode.ENHANCE_YOUR_CALM });
  });

  test("end the connection if their frames never end", async () => {
    const opened = await open();
    await using peer = opened.peer;
    peer.frame(FrameType.HEADERS, Flag.END_STREAM, 1, [0x82]);
    for (let turn = 0; turn < 1000; turn++) peer.frame(FrameType.CONTINUATION, 0, 1, Buffer.alloc(1, 0x82));
    expect(await peer.failure()).toEqual({ of: "connection", code: ErrorCode.ENHANCE_YOUR_CALM });
  });

  test("are not expanded from a compression bomb", async () => {
    const opened = await open();
    await using peer = opened.peer;
    // 16 000 one-byte references to a table entry of 4 KB are 64 MB of headers.
    const bomb = [TABLE, encodeFields(GET).subarray(1), indexed("x-a", "x".repeat(4000))];
    for (let id = 1; id < 41; id += 2) {
      peer.headerBlock(id, Buffer.concat([...bomb, Buffer.alloc(16_000, FIRST_ENTRY)]));
      expect(await peer.response(id)).toEqual([":status", "431"]);
    }
    const sizes = opened.refused.map((fields) => fields.reduce((sum, text) => sum + text.length, 0));
    expect(Math.max(...sizes)).toBeLessThan(MAX_HEADER_BYTES);
    peer.headers(41, GET);
    expect(await peer.response(41)).toEqual(OK);
  });
});

/** Encodes a literal field with incremental indexing (RFC 7541 section 6.2.1). The name must not be in the static table. */
function indexed(name: string, value: string): Buffer {
  const literal = encodeFields([name, value]).subarray(1);
  literal[0] = 0x40;
  return literal;
}
