import { once } from "node:events";
import { expect, test } from "vitest";
import { FrameType } from "./frame.js";
import { ErrorCode } from "./http2-error.js";
import type { Http2Stream } from "./http2-stream.js";
import { GET, POST, TestPeer } from "./testing/test-peer.js";

const OK = [":status", "200"];

/** Opens a connection that is closing and waits for stream 1. */
async function openClosing() {
  const streams: Http2Stream[] = [];
  const peer = await TestPeer.open((stream) => streams.push(stream));
  peer.headers(1, GET);
  await peer.roundTrip();
  peer.connection.close();
  return { peer, finish: () => streams[0]?.respond(OK, Buffer.from("done"), ["x-end", "1"]) };
}

const goAways = (peer: TestPeer) => peer.frames.filter(({ type }) => type === FrameType.GOAWAY);

// RFC 9113 section 6.8: the client may open streams until it receives the GOAWAY.
test.each<[what: string, send: (peer: TestPeer) => void]>([
  ["a body", (peer) => peer.data(3, "a body", true)],
  ["a body that is larger than the connection's window", sendLargeBody],
  ["a reset", (peer) => peer.frame(FrameType.RST_STREAM, 0, 3, [0, 0, 0, ErrorCode.CANCEL])],
  ["a window update", (peer) => peer.windowUpdate(3, 1)],
  ["trailers", (peer) => peer.headers(3, ["x-end", "1"])],
])("ignores %s on a stream that was opened after GOAWAY", async (_, send) => {
  const { peer, finish } = await openClosing();
  await using _peer = peer;
  peer.headers(3, POST, false);
  send(peer);
  expect(await peer.roundTrip()).toBe(true);
  finish();
  expect(await peer.next(({ type }) => type === FrameType.DATA)).toMatchObject({ streamId: 1 });
  expect(await peer.next(({ type }) => type === FrameType.RST_STREAM)).toBeUndefined();
  expect(goAways(peer)).toHaveLength(1);
});

/** Sends more than the connection's window, which the server must widen by the ignored bytes. */
function sendLargeBody(peer: TestPeer): void {
  for (let part = 0; part < 80; part++) peer.data(3, Buffer.alloc(16_000));
}

test("sends GOAWAY only once, however often either side closes the connection", async () => {
  const { peer, finish } = await openClosing();
  await using _peer = peer;
  peer.connection.close();
  peer.frame(FrameType.GOAWAY, 0, 0, Buffer.alloc(8));
  await peer.roundTrip();
  peer.connection.close();
  finish();
  expect(await peer.next(() => false)).toBeUndefined();
  expect(goAways(peer)).toHaveLength(1);
});

test("closes the connection if the client does not", async () => {
  await using peer = await TestPeer.open(() => {});
  await peer.roundTrip();
  // A paused client does not notice the end of the connection.
  peer.socket.pause();
  const closed = once(peer.connection.socket, "close");
  peer.connection.close();
  await closed;
});
