import { expect, test } from "vitest";
import type { Exchange, Peer } from "../exchange.js";
import { Flag, FrameType } from "./frame.js";
import type { HeaderFields } from "./hpack/hpack-decoder.js";
import { ErrorCode } from "./http2-error.js";
import { Http2Exchange } from "./http2-exchange.js";
import { GET, POST, type TestFrame, TestPeer } from "./testing/test-peer.js";

const PEER: Peer = { address: "192.0.2.1", port: 1, isEncrypted: false, tlsClient: undefined };
const RPC = Object.freeze({ "content-type": "application/rpc" });
const STATUS_OK = Object.freeze({ "rpc-status": "0" });

function open(handle: (exchange: Exchange) => void): Promise<TestPeer> {
  return TestPeer.open((stream) => handle(new Http2Exchange(stream, PEER)));
}

/** Reads a stream until it ends: the type and END_STREAM flag of each frame, the decoded headers, and the body. */
async function readStream(peer: TestPeer, streamId: number) {
  const frames: (readonly [type: number, isLast: boolean])[] = [];
  const headers: HeaderFields[] = [];
  let body = "";
  for (;;) {
    const frame = (await peer.next(
      ({ streamId: id, type }) => id === streamId && type !== FrameType.WINDOW_UPDATE,
    )) as TestFrame;
    const isLast = (frame.flags & Flag.END_STREAM) !== 0;
    frames.push([frame.type, isLast]);
    if (frame.type === FrameType.HEADERS) headers.push(peer.decoder.decode(frame.payload));
    else body += frame.payload;
    if (isLast) return { frames, headers, body };
  }
}

test("sends a response with trailers without date and content-length", async () => {
  await using peer = await open((exchange) => {
    exchange.addHeader("x-own", "1");
    exchange.respond(200, RPC, Buffer.from("message"), STATUS_OK);
  });
  for (const streamId of [1, 3]) {
    peer.headers(streamId, GET);
    const { frames, headers, body } = await readStream(peer, streamId);
    expect(frames).toEqual([
      [FrameType.HEADERS, false],
      [FrameType.DATA, false],
      [FrameType.HEADERS, true],
    ]);
    const head = [":status", "200", "content-type", "application/rpc", "x-own", "1"];
    expect(headers).toEqual([head, ["rpc-status", "0"]]);
    expect(body).toBe("message");
  }
});

test("throws for headers with forbidden characters, and sends nothing of them", async () => {
  await using peer = await open((exchange) => {
    const bad = { "x-a": "\n" };
    expect(() => exchange.respond(200, { ...RPC, ...bad }, "x")).toThrow(TypeError);
    expect(() => exchange.respond(200, RPC, "x", bad)).toThrow(TypeError);
    expect(() => exchange.addHeader("x-a", "\n")).toThrow(TypeError);
    exchange.respond(200, RPC, "x", STATUS_OK);
  });
  peer.headers(1, GET);
  const { headers, body } = await readStream(peer, 1);
  expect([...headers, body]).toEqual([[":status", "200", "content-type", "application/rpc"], ["rpc-status", "0"], "x"]);
});

test("rejects a stream whose headers have forbidden characters, and sends nothing of them", async () => {
  await using peer = await open(async (exchange) => {
    await expect(exchange.stream(200, { "x-a": "\n" }, (async function* () {})())).rejects.toThrow(TypeError);
    exchange.respond(200, RPC, undefined, {});
  });
  peer.headers(1, GET);
  expect((await readStream(peer, 1)).headers).toEqual([[":status", "200", "content-type", "application/rpc"]]);
});

test("sends only headers for a response with empty trailers and no body", async () => {
  await using peer = await open((exchange) => exchange.respond(200, { ...RPC, ...STATUS_OK }, undefined, {}));
  peer.headers(1, GET);
  const { frames, headers } = await readStream(peer, 1);
  expect(frames).toEqual([[FrameType.HEADERS, true]]);
  expect(headers).toEqual([[":status", "200", "content-type", "application/rpc", "rpc-status", "0"]]);
});

test("sends a response without trailers with date and content-length", async () => {
  await using peer = await open((exchange) => exchange.respond(200, {}, "text"));
  peer.headers(1, GET);
  const { frames, headers, body } = await readStream(peer, 1);
  expect(frames).toEqual([
    [FrameType.HEADERS, false],
    [FrameType.DATA, true],
  ]);
  expect(headers[0]).toEqual([":status", "200", "date", expect.stringMatching(/GMT$/), "content-length", "4"]);
  expect(body).toBe("text");
});

test("completes a response larger than the client's window when all of it is sent", async () => {
  const ends: (number | undefined)[] = [];
  let exchange: Exchange | undefined;
  await using peer = await open((given) => {
    exchange = given;
    given.onEnd((status) => ends.push(status));
    given.respond(200, {}, Buffer.alloc(100_000), STATUS_OK);
  });
  peer.headers(1, GET);
  await peer.roundTrip();
  expect([exchange?.hasResponded, exchange?.isOver, exchange?.progress, ends]).toEqual([true, false, undefined, []]);
  peer.windowUpdate(0, 100_000);
  peer.windowUpdate(1, 100_000);
  await expect.poll(() => ends).toEqual([200]);
  expect(exchange?.isOver).toBe(true);
});

test("reports a response as incomplete if the client resets it while its window is exhausted", async () => {
  const ends: (number | undefined)[] = [];
  await using peer = await open((exchange) => {
    exchange.onEnd((status) => ends.push(status));
    exchange.respond(200, {}, Buffer.alloc(100_000));
  });
  peer.headers(1, GET);
  await peer.roundTrip();
  peer.frame(FrameType.RST_STREAM, 0, 1, [0, 0, 0, ErrorCode.NO_ERROR]);
  await expect.poll(() => ends).toEqual([undefined]);
});

test("widens the window when bytes of a body are consumed, and not before", async () => {
  let exchange: Exchange | undefined;
  await using peer = await open((given) => {
    exchange = given;
    given.receive({ onData() {}, onEnd() {}, onAbort() {} });
  });
  peer.headers(1, POST, false);
  for (let sent = 0; sent < 160_000; sent += 16_000) peer.data(1, Buffer.alloc(16_000));
  await peer.roundTrip();
  const widened = () => peer.frames.filter(({ type, streamId }) => type === FrameType.WINDOW_UPDATE && streamId === 1);
  expect([exchange?.receivedBytes, widened().length]).toEqual([160_000, 0]);
  exchange?.consume(160_000);
  await expect.poll(() => widened().length).toBe(1);
});

test("uses the authority as host, and detects repeated fields", async () => {
  const seen: unknown[] = [];
  await using peer = await open((exchange) => {
    seen.push(exchange.headers.host, exchange.isRepeated("x-a"), exchange.isRepeated("x-b"));
    exchange.respond(204, {});
  });
  peer.headers(1, [...GET, "host", "LOCALHOST", "x-a", "1", "x-b", "2", "x-a", "3"]);
  expect(await peer.response(1)).toContain("204");
  expect(seen).toEqual(["localhost", true, false]);
});
