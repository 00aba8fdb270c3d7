import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { callPaths } from "../testing/call-path.js";
import { ERROR_CODES } from "../testing/codes.js";
import { catchConnectError, failingLibrary, registerLibrary, registerMethod, SHELF } from "../testing/conformance.js";

describe.each(callPaths)("over $name", (path) => {
  test("rule 20: keeps code, message, metadata, details and the headers set before", async () => {
    let code = Code.Unknown;
    const routes = registerMethod("getShelf", (_, { responseHeader, responseTrailer }) => {
      responseHeader.set("x-own", "1");
      responseTrailer.set("x-own-end", "1");
      throw new ConnectError("what to do", code, { "x-hint": "why" }, [
        { desc: BadRequestSchema, value: { fieldViolations: [{ field: "size", description: "must be even" }] } },
        { desc: ErrorInfoSchema, value: { reason: "SIZE_ODD", domain: "library", metadata: { size: "3" } } },
      ]);
    });
    await using server = await path.serve(routes);
    for ([code] of ERROR_CODES) {
      const error = await catchConnectError(server.client.getShelf(SHELF));
      expect(error).toMatchObject({ code, rawMessage: "what to do" });
      expect(error.metadata.get("x-hint")).toBe("why");
      expect(error.metadata.get("x-own")).toBe("1");
      expect(error.metadata.get("x-own-end")).toBe("1");
      expect(error.findDetails(BadRequestSchema)).toMatchObject([
        { fieldViolations: [{ field: "size", description: "must be even" }] },
      ]);
      expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
        { reason: "SIZE_ODD", domain: "library", metadata: { size: "3" } },
      ]);
    }
  });

  test.each([
    ["an Error", new Error("connect ECONNREFUSED 10.0.0.1")],
    ["a string", "secret"],
    ["undefined", undefined],
    ["a TypeError", new TypeError("x is undefined")],
    ["an upstream's timeout", new DOMException("10.0.0.1 timed out", "TimeoutError")],
    ["an upstream's abort", new DOMException("10.0.0.1 was aborted", "AbortError")],
  ])("rule 20: turns %s that is thrown into an internal error that does not reveal it", async (_, thrown) => {
    await using server = await path.serve(failingLibrary(thrown));
    const error = await catchConnectError(server.client.getShelf(SHELF));
    // If a handler throws undefined, the Connect library sends no error message over gRPC.
    if (thrown === undefined && path.protocolName.startsWith("grpc")) return;
    expect(error).toMatchObject({ code: Code.Internal, rawMessage: "internal error" });
  });

  test("rule 20: reports a response of the wrong type as an internal error", async () => {
    await using server = await path.serve(registerMethod("getShelf", () => ({ capacity: "five" }) as never));
    expect((await catchConnectError(server.client.getShelf(SHELF))).code).toBe(Code.Internal);
  });

  test("rule 20: does not forward the headers of an error from another server", async () => {
    const thrown = new ConnectError("upstream is busy", Code.Unavailable, { "set-cookie": "secret=1", "x-up": "1" });
    thrown.isWireError = true;
    await using server = await path.serve(failingLibrary(thrown));
    const error = await catchConnectError(server.client.getShelf(SHELF));
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: "upstream is busy" });
    expect(error.metadata.has("set-cookie")).toBe(false);
    expect(error.metadata.has("x-up")).toBe(false);
  });

  test("reports a method without an implementation as unimplemented", async () => {
    await using server = await path.serve(registerLibrary({}));
    expect((await catchConnectError(server.client.getShelf(SHELF))).code).toBe(Code.Unimplemented);
  });
});
