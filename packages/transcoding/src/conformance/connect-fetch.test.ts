import { gzipSync } from "node:zlib";
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { GetShelfRequestSchema, ShelfSchema } from "../gen/library/v1/library_pb.js";
import { ERROR_CODES } from "../testing/codes.js";
import { registerMethod, SHELF, shelfLibrary, updatingLibrary } from "../testing/conformance.js";
import { type RpcServer, rpcServerKinds } from "../testing/rpc-server-kinds.js";

const SERVICE = "library.v1.LibraryService";
const JSON_TYPE = { "content-type": "application/json" };
const MESSAGE = toBinary(GetShelfRequestSchema, create(GetShelfRequestSchema, SHELF));
const PROTO_TYPE = { "content-type": "application/proto" };

function post(
  { url }: RpcServer,
  method: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
): Promise<Response> {
  return fetch(`${url}/${SERVICE}/${method}`, { method: "POST", headers, body: body as Uint8Array<ArrayBuffer> });
}

function get({ url }: RpcServer, query: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${url}/${SERVICE}/GetShelf?${new URLSearchParams({ connect: "v1", ...query })}`);
}

async function jsonOf(response: Response): Promise<JsonObject> {
  expect(response.headers.get("content-type")).toBe("application/json");
  return (await response.json()) as JsonObject;
}

/** The reason in an error's details; undefined for errors from the Connect library, which have no details. */
function reasonOf({ details }: JsonObject): string | undefined {
  const info = ((details ?? []) as JsonObject[]).find(({ type }) => type === "google.rpc.ErrorInfo");
  return info && fromBinary(ErrorInfoSchema, Buffer.from(String(info.value), "base64")).reason;
}

describe.each(rpcServerKinds)("the Connect protocol with fetch, over $name", (way) => {
  const usesConnect = (server: RpcServer) => expect(server.connectRequests() > 0).toBe(!way.isDirect);

  test.each(["application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8"])(
    "answers a call with %s",
    async (type) => {
      await using server = await way.serve("1.1", shelfLibrary);
      const response = await post(server, "GetShelf", JSON.stringify(SHELF), { "content-type": type });
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toEqual({ name: "shelves/7", theme: "sea" });
      usesConnect(server);
    },
  );

  test("answers a call with protobuf", async () => {
    await using server = await way.serve("1.1", shelfLibrary);
    const response = await post(server, "GetShelf", MESSAGE, PROTO_TYPE);
    expect(response.headers.get("content-type")).toBe("application/proto");
    expect(fromBinary(ShelfSchema, await response.bytes())).toMatchObject({ name: "shelves/7", theme: "sea" });
    const empty = await post(server, "GetShelf", "", PROTO_TYPE);
    expect(fromBinary(ShelfSchema, await empty.bytes())).toMatchObject({ name: "", theme: "sea" });
    usesConnect(server);
  });

  test.each([
    ["JSON", { encoding: "json", message: JSON.stringify(SHELF) }, "application/json"],
    ["JSON in base64", { encoding: "json", base64: "1", message: btoa(JSON.stringify(SHELF)) }, "application/json"],
    [
      "protobuf in base64 for URLs",
      { encoding: "proto", base64: "1", message: Buffer.from(MESSAGE).toString("base64url") },
      "application/proto",
    ],
  ])("reads a message of %s from a GET", async (_, query, type) => {
    await using server = await way.serve("1.1", shelfLibrary);
    const response = await get(server, query);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe(type);
    const shelf = type === "application/json" ? await response.json() : fromBinary(ShelfSchema, await response.bytes());
    expect(shelf).toMatchObject({ name: "shelves/7", theme: "sea" });
    usesConnect(server);
  });

  test("reads a compressed message from a GET", async () => {
    await using server = await way.serve("1.1", shelfLibrary);
    const message = gzipSync(JSON.stringify(SHELF)).toString("base64url");
    const response = await get(server, { encoding: "json", base64: "1", compression: "gzip", message });
    expect(await response.json()).toMatchObject({ theme: "sea" });
    usesConnect(server);
  });

  test.each([
    ["malformed JSON", "{", "BODY_MALFORMED"],
    ["nothing", "", "BODY_MALFORMED"],
    ["an array", "[]", "BODY_MALFORMED"],
    ["an unknown field", '{"nome": "shelves/7"}', "FIELD_INVALID"],
    ["a wrong type", '{"name": 7}', "FIELD_INVALID"],
  ])("rejects %s", async (_, body, reason) => {
    await using server = await way.serve("1.1", shelfLibrary);
    const response = await post(server, "GetShelf", body);
    // The Connect library ignores unknown fields by default.
    if (body.includes("nome") && !way.isDirect) return expect(response.status).toBe(200);
    expect(response.status).toBe(400);
    const error = await jsonOf(response);
    expect(error.code).toBe("invalid_argument");
    expect(reasonOf(error)).toBe(way.isDirect ? reason : undefined);
  });

  test("rejects bytes that are not a message", async () => {
    await using server = await way.serve("1.1", shelfLibrary);
    const response = await post(server, "GetShelf", Buffer.from([0x0a, 0xff]), PROTO_TYPE);
    const error = await jsonOf(response);
    // The Connect library sends an internal error for bytes that are not a message.
    expect([response.status, error.code]).toEqual(way.isDirect ? [400, "invalid_argument"] : [500, "internal"]);
    expect(reasonOf(error)).toBe(way.isDirect ? "BODY_MALFORMED" : undefined);
  });

  test.each([
    ["POST", (server: RpcServer, text: string) => post(server, "GetShelf", text)],
    ["GET", (server: RpcServer, message: string) => get(server, { encoding: "json", message })],
  ])("rejects %s with a message over the limit", async (_, send) => {
    await using server = await way.serve("1.1", shelfLibrary, { readMaxBytes: 1000 });
    const response = await send(server, JSON.stringify({ name: "x".repeat(1000) }));
    expect(response.status).toBe(429);
    const error = await jsonOf(response);
    expect(error.code).toBe("resource_exhausted");
    expect(reasonOf(error)).toBe(way.isDirect ? "BODY_TOO_LARGE" : undefined);
    expect((await send(server, JSON.stringify(SHELF))).status).toBe(200);
  });

  test("rejects malformed base64 and a malformed timeout", async () => {
    await using server = await way.serve("1.1", shelfLibrary);
    // The Connect library sends an internal error for malformed base64.
    const malformed = await get(server, { encoding: "json", base64: "1", message: "!" });
    expect(malformed.status).toBe(way.isDirect ? 400 : 500);
    const timeout = await post(server, "GetShelf", "{}", { ...JSON_TYPE, "connect-timeout-ms": "1s" });
    expect(timeout.status).toBe(400);
  });

  test("sends an error with its code, status, message, details and metadata", async () => {
    let code = Code.Unknown;
    const routes = registerMethod("getShelf", (_, { responseHeader, responseTrailer }) => {
      responseHeader.set("x-own", "1");
      responseTrailer.set("x-end", "2");
      throw new ConnectError("größer", code, { "x-hint": "why" }, [
        { desc: BadRequestSchema, value: { fieldViolations: [{ field: "size", description: "must be even" }] } },
        { desc: ErrorInfoSchema, value: { reason: "SIZE_ODD", domain: "library" } },
      ]);
    });
    await using server = await way.serve("1.1", routes);
    for (const [value, status, name] of ERROR_CODES) {
      code = value;
      const response = await post(server, "GetShelf", "{}");
      expect(response.status).toBe(status);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "x-own": "1",
        "trailer-x-end": "2",
        "x-hint": "why",
      });
      const info = toBinary(ErrorInfoSchema, create(ErrorInfoSchema, { reason: "SIZE_ODD", domain: "library" }));
      expect(await jsonOf(response)).toEqual({
        // https://connectrpc.com/docs/protocol#error-codes
        code: code === Code.Canceled ? "canceled" : name.toLowerCase(),
        message: "größer",
        details: [
          {
            type: "google.rpc.BadRequest",
            value: expect.any(String),
            debug: { fieldViolations: [{ field: "size", description: "must be even" }] },
          },
          {
            type: "google.rpc.ErrorInfo",
            value: Buffer.from(info).toString("base64").replaceAll("=", ""),
            debug: { reason: "SIZE_ODD", domain: "library" },
          },
        ],
      });
    }
  });

  test("compresses a large response if the client accepts it, and reads a compressed request", async () => {
    const theme = "x".repeat(5000);
    await using server = await way.serve("1.1", updatingLibrary);
    const body = JSON.stringify({ theme });
    const plain = await post(server, "UpdateShelf", body, { ...JSON_TYPE, "accept-encoding": "gzip" });
    expect(plain.headers.get("content-encoding")).toBe("gzip");
    expect(await plain.json()).toEqual({ theme });
    const compressed = await post(server, "UpdateShelf", gzipSync(body), { ...JSON_TYPE, "content-encoding": "gzip" });
    expect(await compressed.json()).toEqual({ theme });
    usesConnect(server);
  });
});
