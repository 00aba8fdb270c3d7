import { describe, expect, test } from "vitest";
import { FrameType } from "./frame.js";
import { ErrorCode } from "./http2-error.js";
import type { Http2Stream } from "./http2-stream.js";
import { GET, POST, TestPeer } from "./testing/test-peer.js";

const OK = [":status", "200"];
const CALM = { of: "connection", code: ErrorCode.ENHANCE_YOUR_CALM };
const CANCEL = [0, 0, 0, ErrorCode.CANCEL];

/** Responds to GET requests, and leaves all others open. */
function respondToGets(stream: Http2Stream): void {
  if (stream.head.method === "GET") stream.respond(OK, Buffer.from("ok"), ["x-end", "1"]);
}

/** Opens and immediately resets streams, beginning with the id `firstId`. */
function resetAtOnce(peer: TestPeer, count: number, firstId: number): void {
  for (let id = firstId; id < firstId + 2 * count; id += 2) {
    peer.headers(id, POST, false);
    peer.frame(FrameType.RST_STREAM, 0, id, CANCEL);
  }
}

describe("resets end the connection", () => {
  test("when streams are reset immediately (CVE-2023-44487)", async () => {
    let streams = 0;
    await using peer = await TestPeer.open(() => void streams++);
    resetAtOnce(peer, 4000, 1);
    expect(await peer.failure()).toEqual(CALM);
    expect(streams).toBeLessThan(1200);
  });

  test("when the client provokes resets by the server (CVE-2025-8671)", async () => {
    await using peer = await TestPeer.open(respondToGets);
    for (let id = 1; id < 8000; id += 2) {
      peer.headers(id, POST, false);
      peer.windowUpdate(id, 0);
    }
    await peer.next(({ type }) => type === FrameType.GOAWAY);
    const goAway = peer.frames.find(({ type }) => type === FrameType.GOAWAY);
    expect(goAway?.payload.readUInt32BE(4)).toBe(ErrorCode.ENHANCE_YOUR_CALM);
  });

  test("when resets far outnumber responses", async () => {
    await using peer = await TestPeer.open(respondToGets);
    for (let id = 1; id < 40_000; id += 20) {
      peer.headers(id, GET);
      resetAtOnce(peer, 9, id + 2);
    }
    expect(await peer.failure()).toEqual(CALM);
  });
});

describe("resets do not end the connection", () => {
  test("when as many streams have complete responses", async () => {
    await using peer = await TestPeer.open(respondToGets);
    peer.windowUpdate(0, 1_000_000);
    for (let id = 1; id < 12_000; id += 4) {
      peer.headers(id, GET);
      resetAtOnce(peer, 1, id + 2);
      if (id % 400 === 1) expect(await peer.roundTrip()).toBe(true);
    }
    expect(await peer.roundTrip()).toBe(true);
  });

  test("when the responses have begun", async () => {
    await using peer = await TestPeer.open((stream) => stream.sendHeaders(OK));
    for (let id = 1; id < 8000; id += 400) {
      const ids = Array.from({ length: 200 }, (_, index) => id + 2 * index);
      for (const each of ids) peer.headers(each, GET);
      for (const each of ids) await peer.response(each);
      for (const each of ids) peer.frame(FrameType.RST_STREAM, 0, each, CANCEL);
    }
    expect(await peer.roundTrip()).toBe(true);
  });

  test("when the streams were open for a while, as after client timeouts", async () => {
    // Makes the server check its streams every 100 ms.
    await using peer = await TestPeer.open(() => {}, { maxStreams: 3000, headerTimeoutMs: 200 });
    for (let id = 1; id < 6000; id += 2) peer.headers(id, GET);
    await peer.roundTrip();
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setTimeout(resolve, 100));
    for (let id = 1; id < 6000; id += 2) peer.frame(FrameType.RST_STREAM, 0, id, CANCEL);
    expect(await peer.roundTrip()).toBe(true);
  });

  test("when many clients share the connection", async () => {
    await using peer = await TestPeer.open(respondToGets, { isShared: true });
    resetAtOnce(peer, 5000, 1);
    expect(await peer.roundTrip()).toBe(true);
  });
});

describe("window updates", () => {
  const LARGE = Buffer.alloc(200_000);

  test.each([
    ["the connection", 0],
    ["a stream", 1],
  ])("of %s end the connection when nothing was sent", async (_, streamId) => {
    await using peer = await TestPeer.open(() => {});
    peer.headers(1, POST, false);
    for (let turn = 0; turn < 30_000; turn++) peer.windowUpdate(streamId, 1);
    expect(await peer.failure()).toEqual(CALM);
  });

  test("end the connection when each admits one byte (CVE-2019-9511)", async () => {
    await using peer = await TestPeer.open((stream) => stream.respond(OK, LARGE, ["x-end", "1"]));
    peer.headers(1, GET);
    for (let turn = 0; turn < 30_000; turn++) {
      peer.windowUpdate(0, 1);
      peer.windowUpdate(1, 1);
    }
    expect(await peer.failure()).toEqual(CALM);
  });

  test("do not end the connection when a download causes several for each frame", async () => {
    const sent = Promise.withResolvers<Http2Stream>();
    await using peer = await TestPeer.open(sent.resolve);
    peer.headers(1, GET);
    const stream = await sent.promise;
    stream.sendHeaders(OK);
    let count = 0;
    for (let turn = 0; turn < 10_000; turn++) {
      stream.sendData(Buffer.alloc(100));
      if (turn % 100 < 99) continue;
      for (; count <= turn; count++) {
        await peer.next(({ type }) => type === FrameType.DATA);
        for (let each = 0; each < 2; each++) {
          peer.windowUpdate(0, 50);
          peer.windowUpdate(1, 50);
        }
      }
    }
    expect(await peer.roundTrip()).toBe(true);
  });

  test("do not end the connection when a client widens the window of each stream", async () => {
    await using peer = await TestPeer.open((stream) => stream.sendHeaders(OK, true));
    for (let id = 1; id < 30_000; id += 2) {
      peer.headers(id, GET);
      peer.windowUpdate(id, 100_000);
      if (id % 400 === 1) expect(await peer.roundTrip()).toBe(true);
    }
    expect(await peer.roundTrip()).toBe(true);
  });
});
