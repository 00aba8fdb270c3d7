import { once } from "node:events";
import type { ClientHttp2Stream } from "node:http2";
import { gzipSync } from "node:zlib";
import { fromBinary } from "@bufbuild/protobuf";
import { anyIs, anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, decodeBinaryHeader } from "@connectrpc/connect";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import { GetShelfRequestSchema, ShelfSchema, UpdateShelfRequestSchema } from "../gen/library/v1/library_pb.js";
import {
  failingLibrary,
  registerMethod,
  rejectWhenAborted,
  SHELF,
  shelfLibrary,
  updatingLibrary,
} from "../testing/conformance.js";
import {
  FrameConnection,
  type FramedCall,
  type FramedResponse,
  frameBytes,
  frameMessage,
  splitBytes,
} from "../testing/grpc-frames.js";
import { recordCalls } from "../testing/library.js";
import { rpcServerKinds } from "../testing/rpc-server-kinds.js";

const GET_SHELF = frameMessage(GetShelfRequestSchema, SHELF);
const UPDATE_SHELF = "/library.v1.LibraryService/UpdateShelf";

function statusOf({ trailers }: FramedResponse): number {
  return Number(trailers["grpc-status"]);
}

function shelfOf({ body }: FramedResponse) {
  expect(body[0]).toBe(0);
  expect(body.readUInt32BE(1)).toBe(body.length - 5);
  return fromBinary(ShelfSchema, body.subarray(5));
}

/** Returns the reason in an error's details. Fails the test if the status in the details differs from the status in the trailers. */
function reasonOf({ trailers }: FramedResponse): string | undefined {
  const bytes = trailers["grpc-status-details-bin"] as string | undefined;
  if (bytes === undefined) return undefined;
  const status = decodeBinaryHeader(bytes, StatusSchema);
  expect(String(status.code)).toBe(trailers["grpc-status"]);
  expect(status.message).toBe(decodeURIComponent(String(trailers["grpc-message"])));
  const info = status.details.find((detail) => anyIs(detail, ErrorInfoSchema));
  return info && anyUnpack(info, ErrorInfoSchema)?.reason;
}

describe.each(rpcServerKinds)("gRPC with hand-written frames, over $name", (way) => {
  test("exchanges one message in each direction, then sends trailers", async () => {
    await using server = await way.serve("2", shelfLibrary);
    const answer = await server.frames.call({ pieces: [GET_SHELF] });
    expect(answer.headers).toMatchObject({ ":status": 200, "content-type": "application/grpc+proto" });
    expect(shelfOf(answer)).toMatchObject({ name: "shelves/7", theme: "sea" });
    expect(answer.trailers).toMatchObject({ "grpc-status": "0" });
    expect(answer).toMatchObject({ isTrailersOnly: false, resetCode: 0 });
    expect(server.connectRequests()).toBe(way.isDirect ? 0 : 1);
  });

  test("reads a message split into any number of frames", async () => {
    await using server = await way.serve("2", updatingLibrary);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 30 }), fc.integer({ min: 1, max: 40 }), async (theme, length) => {
        const message = frameMessage(UpdateShelfRequestSchema, { name: "shelves/7", theme });
        const answer = await server.frames.call({ path: UPDATE_SHELF, pieces: splitBytes(message, length) });
        expect(shelfOf(answer).theme).toBe(theme);
      }),
    );
  });

  test("ignores empty frames around a message", async () => {
    await using server = await way.serve("2", shelfLibrary);
    const empty = new Uint8Array();
    const pieces = [empty, GET_SHELF.subarray(0, 3), empty, GET_SHELF.subarray(3), empty];
    const answer = await server.frames.call({ pieces });
    expect(statusOf(answer)).toBe(0);
  });

  test.each([
    ["no message", [], Code.Unimplemented],
    ["two messages", [GET_SHELF, GET_SHELF], Code.Unimplemented],
    ["two messages in one frame", [Buffer.concat([GET_SHELF, GET_SHELF])], Code.Unimplemented],
    ["half a prefix", [GET_SHELF.subarray(0, 3)], Code.InvalidArgument],
    ["half a message", [GET_SHELF.subarray(0, 9)], Code.InvalidArgument],
    ["a compressed message without grpc-encoding", [frameBytes(GET_SHELF.subarray(5), 1)], Code.Internal],
  ])("rejects %s, and keeps the connection open", async (_, pieces, code) => {
    await using server = await way.serve("2", shelfLibrary);
    expect(statusOf(await server.frames.call({ pieces }))).toBe(code);
    expect(statusOf(await server.frames.call({ pieces: [GET_SHELF] }))).toBe(0);
  });

  test("reads an empty message", async () => {
    await using server = await way.serve("2", shelfLibrary);
    expect(shelfOf(await server.frames.call({ pieces: [frameBytes(new Uint8Array())] })).name).toBe("");
  });

  test("rejects bytes that are not a message", async () => {
    await using server = await way.serve("2", shelfLibrary);
    const answer = await server.frames.call({ pieces: [frameBytes(Buffer.from([0x0a, 0xff]))] });
    // The Connect library sends INTERNAL without details.
    expect(statusOf(answer)).toBe(way.isDirect ? Code.InvalidArgument : Code.Internal);
    expect(reasonOf(answer)).toBe(way.isDirect ? "BODY_MALFORMED" : undefined);
  });

  test("rejects a message over the limit by its declared length, and keeps the connection open", async () => {
    await using server = await way.serve("2", updatingLibrary, { readMaxBytes: 1000 });
    const tooLarge = frameMessage(UpdateShelfRequestSchema, { theme: "x".repeat(100_000) });
    const answer = await server.frames.call({
      path: UPDATE_SHELF,
      pieces: [tooLarge.subarray(0, 10)],
      ends: !way.isDirect,
    });
    expect(statusOf(answer)).toBe(Code.ResourceExhausted);
    if (way.isDirect) expect(reasonOf(answer)).toBe("BODY_TOO_LARGE");
    const good = frameMessage(UpdateShelfRequestSchema, { theme: "x".repeat(900) });
    expect(statusOf(await server.frames.call({ path: UPDATE_SHELF, pieces: [good] }))).toBe(0);
  });

  test.each<[what: string, headers: FramedCall["headers"], message?: Buffer]>([
    ["without te", { te: undefined }],
    ["with an invalid authority", { ":authority": "a~b:80" }],
    ["of application/grpc+proto", { "content-type": "application/grpc+proto" }],
    ["with identity as encoding", { "grpc-encoding": "identity" }],
    ["with a list of accepted encodings", { "grpc-accept-encoding": "identity,deflate,gzip" }],
    ["with a user agent and metadata", { "user-agent": "grpc-c++/1.51.1", "x-a": ["1", "2"], "x-b-bin": "AAECAw" }],
    ["compressed", { "grpc-encoding": "gzip" }, frameBytes(gzipSync(GET_SHELF.subarray(5)), 1)],
    ["with grpc-encoding whose message is not compressed", { "grpc-encoding": "gzip" }],
    ["of JSON", { "content-type": "application/grpc+json" }, frameBytes(Buffer.from('{"name":"shelves/7"}'))],
  ])("serves a call %s directly", async (_, headers = {}, message = GET_SHELF) => {
    await using server = await way.serve("2", shelfLibrary);
    const answer = await server.frames.call({ headers, pieces: [message] });
    expect(statusOf(answer)).toBe(0);
    expect(answer.body.toString("latin1")).toContain("sea");
    expect(server.connectRequests()).toBe(way.isDirect ? 0 : 1);
  });

  test.each([
    ["an unknown encoding", { "grpc-encoding": "zip" }, Code.Unimplemented],
    ["a malformed timeout", { "grpc-timeout": "1" }, Code.InvalidArgument],
    ["a timeout that is too long", { "grpc-timeout": "11S" }, Code.InvalidArgument],
  ])("rejects %s", async (_, headers, code) => {
    await using server = await way.serve("2", shelfLibrary, { maxTimeoutMs: 10_000 });
    const answer = await server.frames.call({ headers, pieces: [GET_SHELF] });
    expect(statusOf(answer)).toBe(code);
  });

  test("sends a failure without headers as one HEADERS frame", async () => {
    const failure = new ConnectError("nicht größer als 100%, bitte", Code.OutOfRange, { "x-hint": "why" });
    await using server = await way.serve("2", failingLibrary(failure));
    const answer = await server.frames.call({ pieces: [GET_SHELF] });
    expect(answer.headers).toMatchObject({ ":status": 200, "content-type": "application/grpc+proto" });
    expect(answer.trailers).toMatchObject({ "grpc-status": String(Code.OutOfRange), "x-hint": "why" });
    expect(decodeURIComponent(String(answer.trailers["grpc-message"]))).toBe("nicht größer als 100%, bitte");
    expect(answer.body).toHaveLength(0);
    expect(answer.isTrailersOnly).toBe(way.isDirect);
    if (way.isDirect) {
      expect(answer.headers).not.toHaveProperty("content-length");
      expect(answer.trailers["grpc-message"]).toBe("nicht gr%C3%B6%C3%9Fer als 100%25, bitte");
      expect(reasonOf(answer)).toBe("OUT_OF_RANGE");
    }
  });

  test("sends the headers of a failure before its trailers", async () => {
    const routes = registerMethod("getShelf", (_, { responseHeader, responseTrailer }) => {
      responseHeader.set("x-own", "1");
      responseTrailer.set("x-own-end", "2");
      throw new ConnectError("no", Code.Aborted);
    });
    await using server = await way.serve("2", routes);
    const answer = await server.frames.call({ pieces: [GET_SHELF] });
    expect(answer.isTrailersOnly).toBe(false);
    expect(answer.headers).toMatchObject({ "x-own": "1" });
    expect(answer.trailers).toMatchObject({ "x-own-end": "2", "grpc-status": String(Code.Aborted) });
  });

  test("does not call the handler if the connection is lost before the end of the body", async () => {
    const { calls, method } = recordCalls();
    await using server = await way.serve("2", registerMethod("getShelf", method));
    const lost = new FrameConnection(server.url);
    lost.open({ pieces: [GET_SHELF], ends: false });
    // A response to a later request on the same connection proves that the server has received the message.
    await lost.call({ path: "/nothing" });
    lost.session.destroy();
    await once(lost.session, "close");
    await server.frames.call({ path: "/nothing" });
    expect(calls).toEqual([]);
  });

  test.each<[string, (stream: ClientHttp2Stream, connection: FrameConnection) => void]>([
    ["a stream reset with NO_ERROR", (stream) => stream.close(0)],
    ["a stream reset with CANCEL", (stream) => stream.close(8)],
    ["a lost connection", (_, connection) => connection.session.destroy()],
  ])("aborts the signal after %s", async (_, end) => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
    const routes = registerMethod("getShelf", (_request, { signal }) => {
      signal.addEventListener("abort", () => resolve());
      onCall();
      return rejectWhenAborted(signal);
    });
    await using server = await way.serve("2", routes);
    const connection = server.frames;
    const stream = connection.open({ pieces: [GET_SHELF] });
    await called;
    end(stream, connection);
    await aborted;
  });

  test("answers each call on a connection as soon as it ends", async () => {
    const routes = registerMethod("getShelf", async ({ name }) => {
      await new Promise((resolve) => setTimeout(resolve, name === "0" ? 100 : 0));
      return { name };
    });
    await using server = await way.serve("2", routes);
    const order: string[] = [];
    const call = async (name: string) => {
      const answer = await server.frames.call({ pieces: [frameMessage(GetShelfRequestSchema, { name })] });
      order.push(shelfOf(answer).name);
    };
    await Promise.all(["0", "1", "2"].map(call));
    expect(order).toEqual(["1", "2", "0"]);
  });
});
