import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../gen/google/rpc/status_pb.js";
import { ShelfSchema, UpdateShelfRequestSchema } from "../gen/library/v1/library_pb.js";
import { registerMethod, rejectWhenAborted, updatingLibrary } from "../testing/conformance.js";
import {
  createGrpcioClient,
  createGrpcJsClient,
  type ForeignCall,
  type ForeignClient,
  type ForeignResponse,
  findGrpcio,
} from "../testing/foreign-client.js";
import { type RpcServer, rpcServerKinds } from "../testing/rpc-server-kinds.js";

const UPDATE_SHELF = "/library.v1.LibraryService/UpdateShelf";
const python = findGrpcio();

/** Whether to skip the tests with grpcio. False in CI, which installs grpcio, so that the tests fail there if it is missing. */
const skipsGrpcio = python === undefined && process.env.CI !== "true";
const reason = "no Python with grpcio is on this machine; install python3-grpcio";
if (skipsGrpcio) console.log(`gRPC is not tested with grpcio: ${reason}`);

const clients = [
  { name: "grpc-js", skipped: false, open: createGrpcJsClient },
  {
    name: skipsGrpcio ? `grpcio (${reason})` : "grpcio",
    skipped: skipsGrpcio,
    open: () => {
      if (python === undefined) throw new Error(reason);
      return createGrpcioClient(python);
    },
  },
];

function messageOf(theme: string): Uint8Array {
  return toBinary(UpdateShelfRequestSchema, create(UpdateShelfRequestSchema, { name: "shelves/7", theme }));
}

function themeOf({ message }: ForeignResponse): string | undefined {
  return message && fromBinary(ShelfSchema, message).theme;
}

describe.each(clients)("with $name", ({ skipped, open }) => {
  describe.skipIf(skipped).each(rpcServerKinds)("over $name", (way) => {
    let client: ForeignClient;
    beforeAll(() => {
      client = open();
    });
    afterAll(() => client?.close());

    const update = (server: RpcServer, theme: string, options: Partial<ForeignCall> = {}) =>
      client.call({ port: server.port, path: UPDATE_SHELF, message: messageOf(theme), ...options });

    test("answers a call, and passes metadata in both directions", async () => {
      const seen: (string | null)[] = [];
      const routes = registerMethod(
        "updateShelf",
        ({ name, theme = "" }, { requestHeader, responseHeader, responseTrailer }) => {
          seen.push(requestHeader.get("x-a"), requestHeader.get("x-b-bin"));
          responseHeader.set("x-c", "3");
          responseHeader.set("x-d-bin", "/+8");
          responseTrailer.set("x-e", "4");
          responseTrailer.set("x-f-bin", "AAE");
          return { name, theme };
        },
      );
      await using server = await way.serve("2", routes);
      const metadata = [
        ["x-a", "1"],
        ["x-a", "2"],
        ["x-b-bin", "/+8="],
      ] as const;
      const answer = await update(server, "sea", { metadata });
      expect(answer).toMatchObject({
        code: 0,
        header: { "x-c": "3", "x-d-bin": "/+8=" },
        trailer: { "x-e": "4", "x-f-bin": "AAE=" },
      });
      expect(themeOf(answer)).toBe("sea");
      expect(seen).toEqual(["1, 2", expect.stringMatching(/^\/\+8=?$/)]);
    });

    test("sends an error with its code, message, details and metadata", async () => {
      const routes = registerMethod("updateShelf", () => {
        throw new ConnectError("größer als 100%", Code.FailedPrecondition, { "x-hint": "why" }, [
          { desc: BadRequestSchema, value: { fieldViolations: [{ field: "size", description: "must be even" }] } },
          { desc: ErrorInfoSchema, value: { reason: "SIZE_ODD", domain: "library" } },
        ]);
      });
      await using server = await way.serve("2", routes);
      const { code, text, trailer } = await update(server, "");
      expect({ code, text, hint: trailer["x-hint"] }).toEqual({
        code: Code.FailedPrecondition,
        text: "größer als 100%",
        hint: "why",
      });
      const status = fromBinary(StatusSchema, Buffer.from(trailer["grpc-status-details-bin"] ?? "", "base64"));
      expect(status).toMatchObject({ code, message: text });
      const [badRequest, info] = status.details;
      expect(badRequest && anyUnpack(badRequest, BadRequestSchema)).toMatchObject({
        fieldViolations: [{ field: "size" }],
      });
      expect(info && anyUnpack(info, ErrorInfoSchema)).toMatchObject({ reason: "SIZE_ODD" });
    });

    test("passes megabytes in both directions, and rejects a message over the limit", async () => {
      await using server = await way.serve("2", updatingLibrary, { readMaxBytes: 4_000_000 });
      const theme = "x".repeat(3_900_000);
      const answer = await update(server, theme);
      expect(themeOf(answer) === theme).toBe(true);
      const tooLarge = await update(server, "x".repeat(4_100_000));
      expect(tooLarge.code).toBe(Code.ResourceExhausted);
    });

    test("reads a compressed request, and the client reads the response", async () => {
      await using server = await way.serve("2", updatingLibrary);
      const theme = "x".repeat(10_000);
      const answer = await update(server, theme, { compressed: true });
      expect(themeOf(answer)).toBe(theme);
    });

    test("passes the deadline to the handler, and ends the call when it expires", async () => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const routes = registerMethod("updateShelf", (_, { signal, timeoutMs }) => {
        resolve(timeoutMs() ?? 0);
        return rejectWhenAborted(signal);
      });
      await using server = await way.serve("2", routes);
      const answer = await update(server, "", { timeoutMs: 500 });
      expect(answer.code).toBe(Code.DeadlineExceeded);
      const left = await promise;
      expect(left).toBeGreaterThan(0);
      // A client may round its timeout up to the next millisecond.
      expect(left).toBeLessThanOrEqual(501);
    });

    test("aborts the signal of a canceled call", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const routes = registerMethod("updateShelf", (_, { signal }) => {
        signal.addEventListener("abort", () => resolve());
        return rejectWhenAborted(signal);
      });
      await using server = await way.serve("2", routes);
      const answer = await update(server, "", { cancelAfterMs: 200 });
      expect(answer.code).toBe(Code.Canceled);
      await promise;
    });

    test.each(["/library.v1.LibraryService/Burn", "/library.v1.LibraryService/GetShelf", "/nothing"])(
      "reports %s as unimplemented",
      async (path) => {
        await using server = await way.serve("2", updatingLibrary);
        expect((await client.call({ port: server.port, path, message: messageOf("") })).code).toBe(Code.Unimplemented);
      },
    );
  });
});
