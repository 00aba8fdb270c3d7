import { expect, test } from "vitest";
import type { Http2Stream } from "./http2-stream.js";
import { POST, TestPeer } from "./testing/test-peer.js";

/** Opens a connection, and records the reported partial bodies as stream ids with received bytes. */
async function open(onReport: (stream: Http2Stream) => void = () => {}) {
  const reports: [number, number][] = [];
  const streams: Http2Stream[] = [];
  const onStream = (stream: Http2Stream) => {
    streams.push(stream);
    stream.receive({ onData() {}, onEnd: () => stream.sendHeaders([":status", "200"], true), onAbort() {} });
  };
  const onPartialBody = (stream: Http2Stream) => {
    reports.push([stream.id, stream.body.received]);
    onReport(stream);
  };
  const peer = await TestPeer.open(onStream, { onPartialBody });
  await peer.roundTrip();
  return { peer, reports, streams };
}

test("does not report a body whose end arrives in the same read as a separate frame", async () => {
  const { peer, reports } = await open();
  await using _peer = peer;
  peer.headers(1, POST, false);
  peer.data(1, Buffer.alloc(100));
  peer.data(1, "", true);
  await peer.roundTrip();
  expect(reports).toEqual([]);
});

test("reports each partial body once per read, with its total received bytes", async () => {
  const { peer, reports } = await open();
  await using _peer = peer;
  for (const id of [1, 3]) peer.headers(id, POST, false);
  peer.data(1, Buffer.alloc(100));
  peer.data(1, Buffer.alloc(50));
  peer.data(3, Buffer.alloc(7));
  await peer.roundTrip();
  expect(reports).toEqual([
    [1, 150],
    [3, 7],
  ]);
  peer.data(1, "x");
  await peer.roundTrip();
  peer.data(1, "x", true);
  await peer.roundTrip();
  expect(reports.slice(2)).toEqual([[1, 151]]);
});

test("does not report a stream that the callback has closed", async () => {
  const { peer, reports, streams } = await open(() => {
    for (const each of streams) each.reset(8);
  });
  await using _peer = peer;
  for (const id of [1, 3]) peer.headers(id, POST, false);
  for (let turn = 0; turn < 2; turn++) {
    peer.data(1, Buffer.alloc(100));
    peer.data(3, Buffer.alloc(100));
    await peer.roundTrip();
    expect(reports).toEqual([[1, 100]]);
  }
});
