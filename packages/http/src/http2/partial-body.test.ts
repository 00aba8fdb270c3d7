import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createFrame, Flag, FrameType } from "./frame.js";
import { PREFACE } from "./frame-reader.js";
import { HpackEncoder } from "./hpack/hpack-encoder.js";
import { Http2Connection } from "./http2-connection.js";
import { DEFAULT_LIMITS } from "./http2-limits.js";
import type { Http2Stream } from "./http2-stream.js";
import { POST } from "./testing/test-peer.js";

const encoder = new HpackEncoder();
const BEGINNING = Buffer.concat([PREFACE, createFrame(FrameType.SETTINGS, 0, 0, Buffer.alloc(0))]);

/** A client, and what the server is told of bodies that are not whole: ids of streams, and bytes. */
async function open(onPart: (stream: Http2Stream) => void = () => {}) {
  const told: [number, number][] = [];
  const streams: Http2Stream[] = [];
  const server = createServer((socket) => {
    const onStream = (stream: Http2Stream) => {
      streams.push(stream);
      stream.receive({
        onData: () => {},
        onEnd: () => stream.sendHeaders([":status", "200"], true),
        onClose: () => {},
      });
    };
    new Http2Connection(socket, onStream, DEFAULT_LIMITS, undefined, (stream) => {
      told.push([stream.id, stream.receivedBytes]);
      onPart(stream);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(BEGINNING);
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return { socket, told, streams };
}

function request(streamId: number): Buffer {
  return createFrame(FrameType.HEADERS, Flag.END_HEADERS, streamId, encoder.encode(POST));
}

function data(streamId: number, bytes: number, endStream = false): Buffer {
  return createFrame(FrameType.DATA, endStream ? Flag.END_STREAM : 0, streamId, Buffer.alloc(bytes));
}

async function send(socket: Socket, ...frames: Buffer[]): Promise<void> {
  socket.write(Buffer.concat(frames));
  await once(socket, "data");
}

const PING = createFrame(FrameType.PING, 0, 0, Buffer.alloc(8));

test("a body whose end is read with it is not told of, though it is a frame of its own", async () => {
  const { socket, told } = await open();
  await once(socket, "data");
  await send(socket, request(1), data(1, 100), data(1, 0, true), PING);
  expect(told).toEqual([]);
});

test("bodies that are not whole are told of once a read, with all that has arrived of them", async () => {
  const { socket, told } = await open();
  await once(socket, "data");
  await send(socket, request(1), request(3), data(1, 100), data(1, 50), data(3, 7), PING);
  expect(told).toEqual([
    [1, 150],
    [3, 7],
  ]);
  await send(socket, data(1, 1), PING);
  await send(socket, data(1, 1, true), PING);
  expect(told.slice(2)).toEqual([[1, 151]]);
});

test("a stream that is closed by what it is told is told of no more, and says so", async () => {
  const closed: number[] = [];
  const { socket, told, streams } = await open((stream) => {
    stream.onClosed(() => closed.push(stream.id));
    for (const each of streams) each.reset(8);
  });
  await once(socket, "data");
  await send(socket, request(1), request(3), data(1, 100), data(3, 100), PING);
  expect(told).toEqual([[1, 100]]);
  expect(closed).toEqual([1]);
  await send(socket, data(1, 100), data(3, 100), PING);
  expect(told).toHaveLength(1);
});
