import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { GetShelfRequestSchema } from "../gen/library/v1/library_pb.js";
import type { HttpRequest } from "../http/http-request.js";
import { registerMethod, SHELF, shelfLibrary } from "../testing/conformance.js";
import { type FramedCall, frameBytes, frameMessage, splitBytes } from "../testing/grpc-frames.js";
import { directServerKind } from "../testing/rpc-server-kinds.js";

const MESSAGE = frameMessage(GetShelfRequestSchema, SHELF);
const GRPC_WEB = { "content-type": "application/grpc-web+proto" };
const CONNECT = { "content-type": "application/proto", "content-encoding": "gzip", te: undefined };
const COMPRESSED_FLAG = gzipSync(toBinary(GetShelfRequestSchema, create(GetShelfRequestSchema, SHELF)));

const { serve } = directServerKind;

test("reads a complete request from pieces of any size", async () => {
  await using server = await serve("2", shelfLibrary);
  for (const length of [1, 3, 5, 6, 100]) {
    const { body } = await server.frames.call({ headers: GRPC_WEB, pieces: splitBytes(MESSAGE, length) });
    expect(body.toString("latin1")).toMatch(/shelves\/7.*grpc-status: ?0/s);
    const connect = await server.frames.call({ headers: CONNECT, pieces: splitBytes(COMPRESSED_FLAG, length) });
    expect(connect.headers[":status"]).toBe(200);
    expect(connect.body.toString("latin1")).toContain("shelves/7");
  }
});

test("decompresses a request before Connect serves it", async () => {
  await using server = await serve("2", shelfLibrary);
  const headers = { ...GRPC_WEB, "grpc-encoding": "gzip", "grpc-accept-encoding": "gzip" };
  for (const frame of [frameBytes(COMPRESSED_FLAG, 1), MESSAGE]) {
    const { body } = await server.frames.call({ headers, pieces: splitBytes(frame, 10) });
    expect(body.toString("latin1")).toMatch(/shelves\/7.*grpc-status: ?0/s);
  }
});

test.each(["application/grpc", "application/grpc+json", "application/grpc-web+proto", "application/connect+proto"])(
  "lists the accepted encodings for %s, and sends INTERNAL for flags without a meaning",
  async (type) => {
    await using server = await serve("2", shelfLibrary);
    const isConnect = type.startsWith("application/connect");
    const name = isConnect ? "connect-content-encoding" : "grpc-encoding";
    const path = `/library.v1.LibraryService/${isConnect ? "WatchBooks" : "GetShelf"}`;
    const send = (encoding: string | undefined, flags: number) =>
      server.frames.call({
        path,
        headers: { "content-type": type, [name]: encoding },
        pieces: [frameBytes(COMPRESSED_FLAG, flags)],
      });
    for (const [encoding, flags, code] of [
      [undefined, 1, "internal"],
      ["identity", 1, "internal"],
      ["gzip", 2, "internal"],
      ["gzip", 0x81, "internal"],
      ["snappy", 1, "unimplemented"],
    ] as const) {
      const { headers, trailers, body } = await send(encoding, flags);
      expect(headers[isConnect ? "connect-accept-encoding" : "grpc-accept-encoding"]).toBe("zstd,br,gzip,identity");
      const number = code === "internal" ? Code.Internal : Code.Unimplemented;
      if (isConnect) expect(body.toString()).toContain(`"code":"${code}"`);
      else expect(trailers["grpc-status"] ?? body.toString()).toMatch(new RegExp(`(?:^|grpc-status: ?)${number}`));
    }
  },
);

test("calls onBodyTaken when Connect takes a message of a request", async () => {
  const taken: number[] = [];
  await using server = await serve("2", shelfLibrary, {
    onBodyTaken: (_: HttpRequest, bytes: number) => taken.push(bytes),
  });
  await server.frames.call({ headers: GRPC_WEB, pieces: splitBytes(MESSAGE, 4) });
  expect(taken).toEqual([MESSAGE.length]);
  const compressed = frameBytes(COMPRESSED_FLAG, 1);
  await server.frames.call({ headers: { ...GRPC_WEB, "grpc-encoding": "gzip" }, pieces: splitBytes(compressed, 4) });
  expect(taken.slice(1)).toEqual([compressed.length]);
});

const NOTHING = new Uint8Array();

test.each<[what: string, call: FramedCall]>([
  ["gRPC", { headers: { "grpc-encoding": "gzip" }, pieces: [frameBytes(NOTHING, 1)] }],
  ["gRPC with br", { headers: { "grpc-encoding": "br" }, pieces: [frameBytes(NOTHING, 1)] }],
  ["gRPC with zstd", { headers: { "grpc-encoding": "zstd" }, pieces: [frameBytes(NOTHING, 1)] }],
  ["gRPC-Web", { headers: { ...GRPC_WEB, "grpc-encoding": "gzip" }, pieces: [frameBytes(NOTHING, 1)] }],
  ["unary Connect", { headers: CONNECT, pieces: [] }],
  ["unary Connect in two codings", { headers: { ...CONNECT, "content-encoding": "gzip, br" }, pieces: [] }],
  [
    "a stream of Connect",
    {
      path: "/library.v1.LibraryService/WatchBooks",
      headers: { "content-type": "application/connect+proto", "connect-content-encoding": "gzip", te: undefined },
      pieces: [frameBytes(NOTHING, 1)],
    },
  ],
])("reads zero compressed bytes as the empty message: %s", async (_, call) => {
  const isStream = call.path !== undefined;
  await using server = await serve("2", isStream ? registerMethod("watchBooks", async function* () {}) : shelfLibrary);
  const { headers, trailers, body } = await server.frames.call(call);
  expect(headers[":status"]).toBe(200);
  const text = body.toString("latin1");
  expect(text).not.toMatch(/"error"|grpc-status: ?[1-9]/);
  expect(trailers["grpc-status"] ?? "0").toBe("0");
});

test("rejects a request for its length before the rest arrives", async () => {
  await using server = await serve("2", shelfLibrary, { readMaxBytes: 100 });
  /** Reads the response while the request body is still open. */
  const answerTo = (headers: FramedCall["headers"], ...pieces: readonly Buffer[]) =>
    text(server.frames.open({ headers: headers ?? {}, pieces, ends: false }));
  const refused = await answerTo(GRPC_WEB, frameBytes(Buffer.alloc(101)).subarray(0, 5));
  expect(refused).toMatch(new RegExp(`grpc-status: ?${Code.ResourceExhausted}`));
  expect(decodeURIComponent(refused)).toContain("the message must be at most 100 bytes");
  for (const pieces of [[Buffer.alloc(101)], [Buffer.alloc(60), Buffer.alloc(41)]])
    expect(await answerTo(CONNECT, ...pieces)).toContain("the body must be at most 100 bytes");
});

test("rejects a request over HTTP/1.1 with a response, not by closing the connection", async () => {
  await using server = await serve("1.1", shelfLibrary, { readMaxBytes: 100 });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { "content-type": type, "content-encoding": encoding } = CONNECT;
  const headers = { "content-type": type, "content-encoding": encoding };
  const options = { port: server.port, path: "/library.v1.LibraryService/GetShelf", method: "POST", headers };
  const sent = request({ host: "127.0.0.1", ...options }, resolve).on("error", reject);
  for (const piece of [Buffer.alloc(60), Buffer.alloc(41)]) sent.write(piece);
  const response = await promise;
  expect(await text(response)).toContain("the body must be at most 100 bytes");
  expect(response.statusCode).toBe(429);
  sent.destroy();
});

test("answers a request that ends early", async () => {
  await using server = await serve("2", shelfLibrary);
  for (const length of [3, 7]) {
    const { body } = await server.frames.call({ headers: GRPC_WEB, pieces: [MESSAGE.subarray(0, length)] });
    expect(body.toString("latin1")).toMatch(/grpc-status: ?\d/);
  }
});
