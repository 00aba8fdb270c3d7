import { Code, ConnectError, type ContextValues, createContextValues } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { createConnectFailures } from "../rpc/connect/connect-failures.js";
import { type CallPath, callPaths } from "../testing/call-path.js";
import { failureOf, getsShelf, library, SHELF } from "../testing/conformance.js";
import { FrameConnection, frameOf } from "../testing/grpc-frames.js";
import { rpcWays } from "../testing/rpc-way.js";

const MAX_BYTES = 1000;

/** Connect's own handlers with corrected failures. */
function correct(path: Pick<CallPath, "serve">, onFailure: (values: ContextValues, code: Code) => void = () => {}) {
  return (routes: Parameters<CallPath["serve"]>[0]) => {
    const { interceptor, requestGate } = createConnectFailures({
      readMaxBytes: () => MAX_BYTES,
      errorDomain: "library",
      onFailure,
    });
    return path.serve(routes, { interceptors: [interceptor], requestGate, readMaxBytes: MAX_BYTES });
  };
}

const paths = callPaths.map((path) =>
  path.isAnsweredAtDeadline ? path : { name: `${path.name}, corrected`, serve: correct(path) },
);

describe.each(paths)("over $name", ({ serve }) => {
  test("sends well-formed messages and details", async () => {
    const routes = library({
      getShelf: () => {
        throw new ConnectError("no \ud800 here", Code.InvalidArgument, undefined, [
          { desc: BadRequestSchema, value: { fieldViolations: [{ field: "\udfff", description: "is \ud800\ud800" }] } },
          { desc: ErrorInfoSchema, value: { reason: "\ud800", domain: "library", metadata: { "\ud800": "\udfff" } } },
        ]);
      },
    });
    await using server = await serve(routes);
    const error = await failureOf(server.client.getShelf(SHELF));
    expect(error).toMatchObject({ code: Code.InvalidArgument, rawMessage: "no \ufffd here" });
    expect(error.findDetails(BadRequestSchema)).toMatchObject([
      { fieldViolations: [{ field: "\ufffd", description: "is \ufffd\ufffd" }] },
    ]);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "\ufffd", domain: "library", metadata: { "\ufffd": "\ufffd" } },
    ]);
  });

  test("adds the code's name as reason", async () => {
    const routes = library({
      getShelf: () => {
        throw new ConnectError("no", Code.OutOfRange);
      },
    });
    await using server = await serve(routes);
    const error = await failureOf(server.client.getShelf(SHELF));
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "OUT_OF_RANGE" }]);
  });
});

describe.each(rpcWays.filter(({ isLean }) => !isLean))("over $name, corrected", (way) => {
  test("keeps a rejection by the gate", async () => {
    const { interceptor, requestGate } = createConnectFailures({
      readMaxBytes: () => MAX_BYTES,
      errorDomain: "library",
      requestGate: () => {
        throw new ConnectError("not for you", Code.InvalidArgument);
      },
    });
    await using server = await way.serve("2", getsShelf, { interceptors: [interceptor], requestGate });
    using connection = new FrameConnection(server.url);
    const { trailers } = await connection.call({ pieces: [frameOf(new Uint8Array())] });
    expect(trailers).toMatchObject({ "grpc-status": String(Code.InvalidArgument), "grpc-message": "not%20for%20you" });
  });

  test("reports bytes that cannot be decoded as INVALID_ARGUMENT", async () => {
    const values = createContextValues();
    const told: unknown[] = [];
    const { interceptor, requestGate } = createConnectFailures({
      readMaxBytes: () => MAX_BYTES,
      errorDomain: "library",
      onFailure: (...failure) => told.push(...failure),
    });
    const options = { interceptors: [interceptor], requestGate, contextValues: () => values };
    await using server = await way.serve("2", getsShelf, options);
    using connection = new FrameConnection(server.url);
    const { trailers } = await connection.call({ pieces: [frameOf(Buffer.from([0x0a, 0xff]))] });
    expect(trailers["grpc-status"]).toBe(String(Code.InvalidArgument));
    expect(told).toEqual([values, Code.InvalidArgument]);
  });
});
