import type { JsonObject } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, createContextValues } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { callPaths } from "../testing/call-path.js";
import { catchConnectError, failingLibrary, registerMethod, SHELF, shelfLibrary } from "../testing/conformance.js";
import { type FramedResponse, frameBytes, readResponse } from "../testing/grpc-frames.js";
import { directServerKind, type RpcServerOptions } from "../testing/rpc-server-kinds.js";

describe.each(callPaths.filter(({ isAnsweredAtDeadline }) => isAnsweredAtDeadline))("over $name", ({ serve }) => {
  test("sends well-formed messages and details", async () => {
    const routes = failingLibrary(
      new ConnectError("no \ud800 here", Code.InvalidArgument, undefined, [
        { desc: BadRequestSchema, value: { fieldViolations: [{ field: "\udfff", description: "is \ud800\ud800" }] } },
        { desc: ErrorInfoSchema, value: { reason: "\ud800", domain: "library", metadata: { "\ud800": "\udfff" } } },
      ]),
    );
    await using server = await serve(routes);
    const error = await catchConnectError(server.client.getShelf(SHELF));
    expect(error).toMatchObject({ code: Code.InvalidArgument, rawMessage: "no \ufffd here" });
    expect(error.findDetails(BadRequestSchema)).toMatchObject([
      { fieldViolations: [{ field: "\ufffd", description: "is \ufffd\ufffd" }] },
    ]);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "\ufffd", domain: "library", metadata: { "\ufffd": "\ufffd" } },
    ]);
  });

  test("adds the name of the code as the reason", async () => {
    const routes = failingLibrary(new ConnectError("no", Code.OutOfRange));
    await using server = await serve(routes);
    const error = await catchConnectError(server.client.getShelf(SHELF));
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "OUT_OF_RANGE" }]);
  });
});

describe("over createRpcHandler, through Connect's own handlers", () => {
  const web = { "content-type": "application/grpc-web+proto" };
  const stream = { "content-type": "application/connect+proto" };
  const path = "/library.v1.LibraryService/WatchBooks";
  const BAD = frameBytes(Buffer.from([0x0a, 0xff]));
  const EMPTY = frameBytes(new Uint8Array());

  /** Serves the example library API and records the outcome of each RPC. */
  async function observe(routes = shelfLibrary, options: RpcServerOptions = {}) {
    const values = createContextValues();
    const outcomes: (Code | undefined)[] = [];
    const onOutcome = (of: ContextValues, code: Code | undefined) => {
      expect(of).toBe(values);
      outcomes.push(code);
    };
    const server = await directServerKind.serve("2", routes, { contextValues: () => values, onOutcome, ...options });
    return { ...server, outcomes };
  }

  /** Returns the error at the end of a Connect stream. */
  function errorOf({ body }: FramedResponse) {
    const json = body.toString().replace(/^[^{]*/s, "");
    const { code, message, details } = JSON.parse(json).error;
    return { code, message, reasons: details?.map((detail: JsonObject) => (detail.debug as JsonObject).reason) };
  }

  test("sends a rejection by the gate unchanged, with details", async () => {
    const requestGate = () => {
      throw new ConnectError("not for you, no", Code.InvalidArgument);
    };
    await using server = await observe(shelfLibrary, { requestGate });
    const { body } = await server.frames.call({ headers: web, pieces: [EMPTY] });
    expect(decodeURIComponent(body.toString("latin1"))).toMatch(/grpc-message: ?not for you, no/);
    const response = await server.frames.call({ path, headers: stream, pieces: [EMPTY] });
    const expected = { code: "invalid_argument", message: "not for you, no", reasons: ["INVALID_ARGUMENT"] };
    expect(errorOf(response)).toEqual(expected);
    expect(server.outcomes).toEqual([Code.InvalidArgument, Code.InvalidArgument]);
  });

  test("reports undecodable gRPC-Web as INVALID_ARGUMENT", async () => {
    await using server = await observe();
    const { body } = await server.frames.call({ headers: web, pieces: [BAD] });
    expect(body.toString("latin1")).toMatch(/grpc-status: ?3/);
    expect(server.outcomes).toEqual([Code.InvalidArgument]);
  });

  test("sends INTERNAL for a malformed frame, as gRPC requires, and reports INVALID_ARGUMENT", async () => {
    await using server = await observe();
    for (const headers of [web, { "content-type": "application/grpc" }]) {
      const { body, headers: head } = await server.frames.call({ headers, pieces: [frameBytes(new Uint8Array(), 2)] });
      expect(head["grpc-status"] ?? body.toString("latin1")).toMatch(/^(?:.*grpc-status: ?)?13/s);
    }
    expect(server.outcomes).toEqual([Code.InvalidArgument, Code.InvalidArgument]);
  });

  test("reports undecodable messages of a stream as INVALID_ARGUMENT", async () => {
    const quoted = frameBytes(Buffer.from(JSON.stringify({ [`\ud800${"x".repeat(9000)}`]: 1 })));
    await using server = await observe(registerMethod("watchBooks", async function* () {}));
    const connect = await server.frames.call({ path, headers: stream, pieces: [BAD] });
    expect(errorOf(connect)).toMatchObject({ code: "invalid_argument", reasons: ["BODY_MALFORMED"] });
    const headers = { "content-type": "application/grpc+json" };
    const { trailers } = await server.frames.call({ path, headers, pieces: [quoted] });
    expect(trailers["grpc-status"]).toBe(String(Code.InvalidArgument));
    expect(decodeURIComponent(String(trailers["grpc-message"])).length).toBeLessThan(400);
    expect(server.outcomes).toEqual([Code.InvalidArgument, Code.InvalidArgument]);
  });

  test("rejects an unpaired surrogate without calling onError", async () => {
    const onError = () => expect.unreachable();
    await using server = await observe(shelfLibrary, { onError });
    const headers = { "content-type": "application/grpc-web+json" };
    const { body } = await server.frames.call({ headers, pieces: [frameBytes(Buffer.from('{"\\ud800": 1}'))] });
    expect(body.toString("latin1")).toMatch(/grpc-status: ?3/);
    expect(server.outcomes).toEqual([Code.InvalidArgument]);
  });

  test("answers at the deadline if the message is incomplete", async () => {
    await using server = await observe();
    const headers = { ...web, "grpc-timeout": "50m" };
    const response = await readResponse(server.frames.open({ headers, pieces: [EMPTY.subarray(0, 3)], ends: false }));
    expect(response.body.toString("latin1")).toMatch(/grpc-status: ?4/);
    expect(server.outcomes).toEqual([Code.DeadlineExceeded]);
  });

  test("ends a stream at the deadline if the implementation ignores the signal", async () => {
    const routes = registerMethod("watchBooks", async function* () {
      yield { id: "1" };
      await new Promise(() => {});
    });
    await using server = await observe(routes);
    const headers = { ...stream, "connect-timeout-ms": "50" };
    const response = await server.frames.call({ path, headers, pieces: [EMPTY] });
    expect(errorOf(response)).toMatchObject({ code: "deadline_exceeded", reasons: ["DEADLINE_EXCEEDED"] });
    expect(server.outcomes).toEqual([Code.DeadlineExceeded]);
  });

  test("lets a stream end by itself at shutdown", async () => {
    const shutdown = new AbortController();
    const routes = registerMethod("watchBooks", async function* (_, { signal }) {
      yield { id: "1" };
      shutdown.abort(new ConnectError("shutting down", Code.Unavailable));
      await new Promise((resolve) => setTimeout(resolve, 10));
      yield { id: String(signal.aborted) };
    });
    await using server = await observe(routes, { shutdownSignal: shutdown.signal });
    const { body } = await server.frames.call({ path, headers: stream, pieces: [EMPTY] });
    expect(body.toString("latin1")).toContain("true");
    expect(server.outcomes).toEqual([undefined]);
  });

  test("reports a success", async () => {
    await using server = await observe();
    await server.frames.call({ headers: web, pieces: [EMPTY] });
    expect(server.outcomes).toEqual([undefined]);
  });

  test.each([
    ["an unknown encoding", { "connect-content-encoding": "zip" }, "unimplemented", "CONTENT_ENCODING_UNSUPPORTED"],
    ["a malformed timeout", { "connect-timeout-ms": "soon" }, "invalid_argument", "HEADER_MALFORMED"],
    ["a timeout that is too long", { "connect-timeout-ms": "11000" }, "invalid_argument", "HEADER_MALFORMED"],
  ])("rejects %s of a stream, with details", async (_, headers, code, reason) => {
    await using server = await observe(shelfLibrary, { maxTimeoutMs: 10_000 });
    const response = await server.frames.call({ path, headers: { ...stream, ...headers }, pieces: [EMPTY] });
    expect(response.headers).toMatchObject({ ":status": 200, "content-type": "application/connect+proto" });
    expect(errorOf(response)).toMatchObject({ code, reasons: [reason] });
    expect(server.outcomes).toHaveLength(1);
  });
});
