import { once } from "node:events";
import { createServer } from "node:http2";
import { connect } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { createRpcHandler } from "../rpc/rpc-handler.js";
import { failingLibrary } from "../testing/conformance.js";
import { listen } from "../testing/listen.js";
import { Http2Request } from "./http2-request.js";
import { createNodeStreamHandler, type NodeStreamHandler } from "./node-handler.js";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const [DATA, HEADERS, RST_STREAM] = [0, 1, 3];
const [END_STREAM, END_HEADERS] = [1, 4];

/**
 * Sends the headers of a POST request over a new connection, followed by `rest`. Returns the type and the END_STREAM flag of each response frame.
 */
async function collectFrames(listener: NodeStreamHandler, path: string, rest: string): Promise<[number, number][]> {
  const server = await listen(createServer().on("stream", listener));
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => server[Symbol.asyncDispose]());
  const literal = (name: string, value: string) =>
    Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
  const block = Buffer.concat([
    Buffer.from([0x83, 0x86]),
    literal(":path", path),
    literal(":authority", "a"),
    literal("content-type", "application/grpc"),
  ]);
  socket.write(PREFACE, "latin1");
  socket.write(Buffer.concat([frameHead(block.length, HEADERS, END_HEADERS), block]));
  socket.write(rest, "latin1");
  const frames: [type: number, endStream: number][] = [];
  let received = Buffer.alloc(0);
  while (!frames.some(([type, endStream]) => type === RST_STREAM || endStream !== 0)) {
    received = Buffer.concat([received, (await once(socket, "data"))[0]]);
    while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
      const end = 9 + received.readUIntBE(0, 3);
      if (received.readUInt32BE(5) === 1) frames.push([received.readUInt8(3), received.readUInt8(4) & END_STREAM]);
      received = received.subarray(end);
    }
  }
  return frames;
}

function frameHead(length: number, type: number, flags: number): Buffer {
  return Buffer.from([0, length >> 8, length & 0xff, type, flags, 0, 0, 0, 1]);
}

const rpcs = createNodeStreamHandler(
  createRpcHandler({ routes: failingLibrary(new ConnectError("no shelf", Code.NotFound)) }),
);

test("sends a failed gRPC call as one HEADERS frame, without an empty DATA frame", async () => {
  const message = `${frameHead(5, DATA, END_STREAM).toString("latin1")}\0\0\0\0\0`;
  const frames = await collectFrames(rpcs, "/library.v1.LibraryService/GetShelf", message);
  expect(frames).toEqual([[HEADERS, END_STREAM]]);
});

test("answers a call before its body has arrived, and does not reset the stream at once", async () => {
  const incomplete = "\0\0\x05\0\0\0\0\0\x01\x02\0\0\0\0";
  const frames = await collectFrames(rpcs, "/library.v1.LibraryService/GetShelf", incomplete);
  expect(frames).toEqual([[HEADERS, END_STREAM]]);
});

test("passes on the end of an empty body that nobody reads in time", async () => {
  const listener: NodeStreamHandler = (stream, headers, flags, rawHeaders) => {
    const peer = { address: "", port: undefined, isEncrypted: false, certificateName: undefined };
    const request = new Http2Request(stream, headers, flags, rawHeaders, { peer, codings: [], onError: unreachable });
    const onEnd = () => request.respond(204, {});
    // Node ends an empty body even if nobody reads it.
    stream.once("end", () => setImmediate(() => request.receive({ onData: unreachable, onEnd, onAbort: unreachable })));
  };
  const frames = await collectFrames(listener, "/", frameHead(0, DATA, END_STREAM).toString("latin1"));
  expect(frames).toEqual([[HEADERS, END_STREAM]]);
});

function unreachable(): never {
  throw new Error("unexpected call");
}
