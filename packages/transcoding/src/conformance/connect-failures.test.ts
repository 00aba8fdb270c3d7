import { Code, ConnectError, createContextValues } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { callPaths } from "../testing/call-path.js";
import { failureOf, registerLibrary, SHELF, shelfLibrary } from "../testing/conformance.js";
import { FrameConnection, frameBytes } from "../testing/grpc-frames.js";
import { rpcServerKinds } from "../testing/rpc-server-kinds.js";

describe.each(callPaths.filter(({ isAnsweredAtDeadline }) => isAnsweredAtDeadline))("over $name", ({ serve }) => {
  test("sends well-formed messages and details", async () => {
    const routes = registerLibrary({
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
    const routes = registerLibrary({
      getShelf: () => {
        throw new ConnectError("no", Code.OutOfRange);
      },
    });
    await using server = await serve(routes);
    const error = await failureOf(server.client.getShelf(SHELF));
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "OUT_OF_RANGE" }]);
  });
});

/** Compressed requests are served by Connect's own handlers. */
const ENCODING = { "grpc-encoding": "gzip" };

describe.each(rpcServerKinds.filter(({ isDirect }) => isDirect))(
  "over $name, through Connect's own handlers",
  (way) => {
    test("keeps a rejection by the gate", async () => {
      const requestGate = () => {
        throw new ConnectError("not for you, no", Code.InvalidArgument);
      };
      await using server = await way.serve("2", shelfLibrary, { requestGate });
      using connection = new FrameConnection(server.url);
      const { trailers } = await connection.call({ headers: ENCODING, pieces: [frameBytes(new Uint8Array())] });
      expect(trailers).toMatchObject({
        "grpc-status": String(Code.InvalidArgument),
        "grpc-message": "not for you, no",
      });
    });

    test("reports bytes that cannot be decoded as INVALID_ARGUMENT", async () => {
      const values = createContextValues();
      const told: unknown[] = [];
      const onOutcome = (...outcome: unknown[]) => told.push(...outcome);
      await using server = await way.serve("2", shelfLibrary, { contextValues: () => values, onOutcome });
      using connection = new FrameConnection(server.url);
      const { trailers } = await connection.call({
        headers: ENCODING,
        pieces: [frameBytes(Buffer.from([0x0a, 0xff]))],
      });
      expect(trailers["grpc-status"]).toBe(String(Code.InvalidArgument));
      expect(told).toEqual([values, Code.InvalidArgument]);
    });

    test("reports a response to the observer", async () => {
      const values = createContextValues();
      const told: unknown[] = [];
      const onOutcome = (...outcome: unknown[]) => told.push(...outcome);
      await using server = await way.serve("2", shelfLibrary, { contextValues: () => values, onOutcome });
      using connection = new FrameConnection(server.url);
      const { trailers } = await connection.call({ headers: ENCODING, pieces: [frameBytes(new Uint8Array())] });
      expect(trailers["grpc-status"]).toBe("0");
      expect(told).toEqual([values, undefined]);
    });
  },
);
