import { once } from "node:events";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { GetShelfRequestSchema } from "../gen/library/v1/library_pb.js";
import { registerLibrary, registerMethod, SHELF, shelfLibrary } from "../testing/conformance.js";
import { frameBytes, frameMessage, readResponse } from "../testing/grpc-frames.js";
import { HANDLER_TEXTS, HEADER_TEXTS, SENDABLE_HEADER_VALUE_PATTERN } from "../testing/header-texts.js";
import { directServerKind } from "../testing/rpc-server-kinds.js";

const GET_SHELF = frameMessage(GetShelfRequestSchema, SHELF);

const { serve } = directServerKind;

test("ignores connection and protocol headers that a handler sets", async () => {
  const routes = registerMethod("getShelf", ({ name }, { responseHeader, responseTrailer }) => {
    responseHeader.set("connection", "close");
    responseHeader.set("transfer-encoding", "chunked");
    responseHeader.set("content-type", "text/plain");
    responseHeader.set("grpc-encoding", "gzip");
    responseTrailer.set("grpc-status", "5");
    responseTrailer.set("grpc-message", "of another call");
    return { name };
  });
  await using server = await serve("2", routes);
  const { headers, trailers } = await server.frames.call({ pieces: [GET_SHELF] });
  const { date: _, ...given } = headers;
  expect(Object.keys(given).toSorted()).toEqual([":status", "content-type", "grpc-accept-encoding"]);
  expect(headers["content-type"]).toBe("application/grpc+proto");
  expect(Object.entries(trailers)).toEqual([["grpc-status", "0"]]);
});

test.each(["application/grpc", "application/grpc-web+proto", "application/proto"])(
  "sends every value that a handler of %s sets",
  async (type) => {
    let text = "";
    const routes = registerMethod("getShelf", (_, { responseHeader, responseTrailer }) => {
      responseHeader.set("x-header", text);
      responseTrailer.set("x-trailer", text);
      return {};
    });
    await using server = await serve("2", routes);
    const pieces = type === "application/proto" ? [] : [GET_SHELF];
    for (text of HANDLER_TEXTS) {
      const { headers, trailers } = await server.frames.call({ headers: { "content-type": type }, pieces });
      expect(headers["x-header"], JSON.stringify(text)).toMatch(SENDABLE_HEADER_VALUE_PATTERN);
      if (type === "application/grpc")
        expect(trailers["x-trailer"], JSON.stringify(text)).toMatch(SENDABLE_HEADER_VALUE_PATTERN);
      if (type === "application/proto")
        expect(headers["trailer-x-trailer"], JSON.stringify(text)).toMatch(SENDABLE_HEADER_VALUE_PATTERN);
    }
  },
);

test("sends every text as an error message that clients can decode", async () => {
  let text = "";
  const routes = registerLibrary({
    getShelf: () => {
      throw new ConnectError(text, Code.NotFound);
    },
    // biome-ignore lint/correctness/useYield: an error before the first message
    async *watchBooks() {
      throw new ConnectError(text, Code.NotFound);
    },
  });
  await using server = await serve("2", routes);
  for (text of [...HEADER_TEXTS, "a, b: c"]) {
    const { trailers } = await server.frames.call({ pieces: [GET_SHELF] });
    const message = String(trailers["grpc-message"]);
    expect(message).toMatch(SENDABLE_HEADER_VALUE_PATTERN);
    expect(decodeURIComponent(message)).toBe(text.toWellFormed());
    const path = "/library.v1.LibraryService/WatchBooks";
    const stream = await server.frames.call({ path, pieces: [frameBytes(new Uint8Array())] });
    expect(stream.trailers["grpc-message"]).toBe(message);
  }
});

test("answers at the deadline if the message is incomplete, and closes the stream", async () => {
  await using server = await serve("2", shelfLibrary);
  const headers = { "grpc-timeout": "50m" };
  const stream = server.frames.open({ headers, pieces: [GET_SHELF.subarray(0, 7)], ends: false });
  const { trailers } = await readResponse(stream);
  expect(trailers["grpc-status"]).toBe(String(Code.DeadlineExceeded));
});

test("reports a response that cannot be encoded as an internal error", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const routes = registerMethod("getShelf", () => ({ capacity: 2 ** 40 }));
  await using server = await serve("2", routes, { onError: resolve });
  const { trailers } = await server.frames.call({ pieces: [GET_SHELF] });
  expect(trailers).toMatchObject({ "grpc-status": String(Code.Internal), "grpc-message": "internal error" });
  expect(String(await promise)).toContain("capacity");
});

test("lets the gate reject a call before its message is complete", async () => {
  await using server = await serve("2", shelfLibrary, {
    requestGate: () => {
      throw new Error("not today");
    },
  });
  const stream = server.frames.open({ pieces: [GET_SHELF.subarray(0, 7)], ends: false });
  const [headers] = await once(stream, "response");
  expect(headers["grpc-status"]).toBe(String(Code.Internal));
});
