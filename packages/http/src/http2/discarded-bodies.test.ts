import { describe, expect, test } from "vitest";
import { FrameType } from "./frame.js";
import { ErrorCode } from "./http2-error.js";
import type { Http2Stream } from "./http2-stream.js";
import { GET, POST, TestPeer } from "./testing/test-peer.js";

const OK = [":status", "200"];
const REFUSAL = [":status", "413"];

/** Refuses every POST at once, without reading its body. */
function refusePosts(stream: Http2Stream): void {
  if (stream.head.method === "POST") stream.respond(REFUSAL, Buffer.from("too large"), ["x-end", "1"]);
  else stream.respond(OK, Buffer.from("ok"), ["x-end", "1"]);
}

/** Sends a body as fast as the windows allow, and returns the number of bytes sent before the stream was reset. */
async function upload(peer: TestPeer, streamId: number, bytes: number): Promise<number> {
  const windows = new Map([
    [0, 65_535],
    [streamId, 65_535],
  ]);
  let [seen, sent] = [0, 0];
  while (sent < bytes) {
    for (; seen < peer.frames.length; seen++) {
      const { type, flags, streamId: id, payload } = peer.frames[seen] as (typeof peer.frames)[number];
      if (type === FrameType.RST_STREAM && id === streamId) return sent;
      if (type === FrameType.SETTINGS && flags === 0) windows.set(streamId, initialWindow(payload));
      if (type === FrameType.WINDOW_UPDATE) windows.set(id, (windows.get(id) ?? 0) + payload.readUInt32BE());
    }
    const size = Math.min(16_384, bytes - sent, ...windows.values());
    if (size === 0) {
      await new Promise(setImmediate);
      continue;
    }
    for (const [id, window] of windows) windows.set(id, window - size);
    sent += size;
    peer.data(streamId, Buffer.alloc(size), sent === bytes);
  }
  return sent;
}

function initialWindow(settings: Buffer): number {
  for (let at = 0; at < settings.length; at += 6) {
    if (settings.readUInt16BE(at) === 4) return settings.readUInt32BE(at + 2);
  }
  return 65_535;
}

function resets(peer: TestPeer, streamId: number) {
  return peer.frames
    .filter(({ type, streamId: id }) => type === FrameType.RST_STREAM && id === streamId)
    .map(({ payload }) => payload.readUInt32BE());
}

describe("the rest of a body after the complete response", () => {
  test("is discarded, and its windows are widened so that the client can send all of it", async () => {
    await using peer = await TestPeer.open(refusePosts);
    peer.headers(1, POST, false);
    expect(await upload(peer, 1, 8_000_000)).toBe(8_000_000);
    expect(await peer.response(1)).toEqual(REFUSAL);
    await peer.roundTrip();
    expect(resets(peer, 1)).toEqual([]);
    peer.headers(3, GET);
    expect(await peer.response(3)).toEqual(OK);
  });

  test("is empty if the response was sent when the last part arrived", async () => {
    const refuseAtEnd = (stream: Http2Stream) => {
      if (stream.head.method === "GET") refusePosts(stream);
      else stream.receive({ onData: () => refusePosts(stream), onEnd() {}, onAbort() {} });
    };
    await using peer = await TestPeer.open(refuseAtEnd, { bodyTimeoutMs: 100, maxStreams: 1 });
    peer.headers(1, POST, false);
    peer.data(1, "all of it", true);
    expect(await peer.response(1)).toEqual(REFUSAL);
    peer.headers(3, GET);
    expect(await peer.response(3)).toEqual(OK);
    expect(resets(peer, 1)).toEqual([]);
  });

  test("is reset after 16 MiB", async () => {
    await using peer = await TestPeer.open(refusePosts);
    peer.headers(1, POST, false);
    const sent = await upload(peer, 1, 100_000_000);
    expect(sent).toBeGreaterThan(16 * 1024 * 1024);
    expect(sent).toBeLessThan(20 * 1024 * 1024);
    expect(resets(peer, 1)).toEqual([ErrorCode.NO_ERROR]);
    // Data sent before the client sees the reset is ignored, and counts against no window.
    peer.data(1, Buffer.alloc(16_384), true);
    peer.headers(3, GET);
    expect(await peer.response(3)).toEqual(OK);
  });

  test("is reset after the timeout", async () => {
    await using peer = await TestPeer.open(refusePosts, { bodyTimeoutMs: 100 });
    peer.headers(1, POST, false);
    const timer = setInterval(() => peer.data(1, "x"), 20);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.NO_ERROR });
    clearInterval(timer);
  });

  test("may end with trailers, or be reset by the client", async () => {
    await using peer = await TestPeer.open(refusePosts);
    peer.headers(1, POST, false);
    peer.data(1, "x");
    peer.headers(1, ["x-trailer", "1"]);
    peer.headers(3, POST, false);
    peer.frame(FrameType.RST_STREAM, 0, 3, [0, 0, 0, ErrorCode.CANCEL]);
    peer.headers(5, GET);
    expect(await peer.response(5)).toEqual(OK);
    expect([...resets(peer, 1), ...resets(peer, 3)]).toEqual([]);
  });

  test.each([
    ["more", "12345", false],
    ["fewer", "1", true],
  ])("resets the stream if it has %s bytes than content-length", async (_, body, endStream) => {
    await using peer = await TestPeer.open(refusePosts);
    peer.headers(1, [...POST, "content-length", "3"], false);
    await peer.response(1);
    peer.data(1, body, endStream);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.PROTOCOL_ERROR });
  });

  test.each<readonly [string, (peer: TestPeer) => void, number]>([
    ["a pseudo-header in its trailers", (peer) => peer.headers(1, [":path", "/"]), ErrorCode.PROTOCOL_ERROR],
    ["headers that do not end it", (peer) => peer.headers(1, ["x-a", "1"], false), ErrorCode.PROTOCOL_ERROR],
    ["a window update by 0", (peer) => peer.windowUpdate(1, 0), ErrorCode.PROTOCOL_ERROR],
    ["too large a window", (peer) => peer.windowUpdate(1, 2 ** 31 - 1), ErrorCode.FLOW_CONTROL_ERROR],
  ])("resets the stream for %s, like bodies that are read", async (_, act, code) => {
    await using peer = await TestPeer.open(refusePosts);
    peer.headers(1, POST, false);
    await peer.response(1);
    act(peer);
    expect(await peer.failure()).toEqual({ of: "stream", code });
    peer.headers(3, GET);
    expect(await peer.response(3)).toEqual(OK);
  });

  test("counts as a stream towards maxStreams", async () => {
    await using peer = await TestPeer.open(refusePosts, { maxStreams: 2 });
    for (const id of [1, 3, 5]) peer.headers(id, POST, false);
    expect(await peer.failure()).toEqual({ of: "stream", code: ErrorCode.REFUSED_STREAM });
    peer.data(1, "", true);
    peer.headers(7, GET);
    expect(await peer.response(7)).toEqual(OK);
  });
});
