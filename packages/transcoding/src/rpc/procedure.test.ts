import { gzipSync } from "node:zlib";
import { create, fromBinary, fromJsonString, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EditionKindsSchema, RowSchema } from "../gen/library/v1/edition_kinds_pb.js";
import { GetShelfRequestSchema, ListShelvesResponseSchema, ShelfSchema } from "../gen/library/v1/library_pb.js";
import { buildService } from "../testing/build-service.js";
import { registerMethod, SHELF, shelfLibrary } from "../testing/conformance.js";
import { frameBytes, frameMessage } from "../testing/grpc-frames.js";
import { directServerKind, type RpcServer } from "../testing/rpc-server-kinds.js";
import { connectHttp1 } from "../testing/test-runtime.js";

const GET_SHELF = "/library.v1.LibraryService/GetShelf";
const WATCH_BOOKS = "/library.v1.LibraryService/WatchBooks";
const UPDATE_SHELF = "/library.v1.LibraryService/UpdateShelf";
const MESSAGE = toBinary(GetShelfRequestSchema, create(GetShelfRequestSchema, SHELF));
const FRAME = frameMessage(GetShelfRequestSchema, SHELF);
const JSON_MESSAGE = Buffer.from(JSON.stringify(SHELF));

const { serve } = directServerKind;

/** Sends a request without `te`, over HTTP/2. */
async function send(
  server: RpcServer,
  method: string,
  path: string,
  contentType: string | undefined,
  body: Uint8Array = new Uint8Array(),
  headers: Readonly<Record<string, string>> = {},
) {
  const all = { te: undefined, ":method": method, "content-type": contentType, ...headers };
  return await server.frames.call({ path, headers: all, pieces: body.length > 0 ? [body] : [] });
}

test.each([
  ["application/json", (body: Buffer) => fromJsonString(ListShelvesResponseSchema, body.toString())],
  ["application/proto", (body: Buffer) => fromBinary(ListShelvesResponseSchema, body)],
  ["application/grpc+json", (body: Buffer) => fromJsonString(ListShelvesResponseSchema, body.subarray(5).toString())],
  ["application/grpc+proto", (body: Buffer) => fromBinary(ListShelvesResponseSchema, body.subarray(5))],
])("returns a long list as %s", async (contentType, read) => {
  const shelves = Array.from({ length: 2500 }, (_, n) => create(ShelfSchema, { name: `shelves/${n}` }));
  const list = create(ListShelvesResponseSchema, { shelves, nextPageToken: "next", totalSize: 5000 });
  await using server = await serve(
    "2",
    registerMethod("listShelves", () => list),
  );
  const isJson = contentType.endsWith("json");
  const message = isJson ? Buffer.from("{}") : Buffer.alloc(0);
  const body = contentType.includes("grpc") ? frameBytes(message) : message;
  const response = await send(server, "POST", "/library.v1.LibraryService/ListShelves", contentType, body);
  expect(read(response.body)).toEqual(list);
});

test("returns a long list in a message with a required field", async () => {
  const rows = Array.from({ length: 2500 }, (_, number) => create(RowSchema, { number }));
  const message = create(EditionKindsSchema, { requiredFlag: true, rows });
  const service = buildService("KindService", { GetKinds: { output: EditionKindsSchema } });
  await using server = await serve("2", (router) => router.service(service, { getKinds: () => message } as never));
  const { body } = await send(server, "POST", "/test.v1.KindService/GetKinds", "application/proto");
  expect(fromBinary(EditionKindsSchema, body)).toEqual(message);
});

const reasonOf = (body: Buffer) => JSON.parse(body.toString()).details[0].debug.reason;

test.each([
  ["Application/JSON", JSON_MESSAGE, "application/json"],
  ['application/json;charset="utf-8"', JSON_MESSAGE, "application/json"],
  ["application/json ; charset=UTF-8", JSON_MESSAGE, "application/json"],
  ["application/proto;messageType=library.v1.GetShelfRequest", MESSAGE, "application/proto"],
  ["application/grpc;charset=utf-8", FRAME, "application/grpc+proto"],
  ["Application/gRPC+Proto", FRAME, "application/grpc+proto"],
  ["application/grpc-web; charset=utf-8", FRAME, "application/grpc-web+proto"],
  ['application/grpc-web+JSON;charset="utf-8"', frameBytes(JSON_MESSAGE), "application/grpc-web+json"],
  [`application/json;a=${"b".repeat(237)}`, JSON_MESSAGE, "application/json"],
])("reads the content type %s", async (contentType, body, expected) => {
  await using server = await serve("2", shelfLibrary);
  const response = await send(server, "POST", GET_SHELF, contentType, body);
  expect(response.headers).toMatchObject({ ":status": 200, "content-type": expected });
  expect(response.body.toString("latin1")).toContain("sea");
});

test.each([
  [undefined, GET_SHELF],
  ["text/plain", GET_SHELF],
  ["json", GET_SHELF],
  ["application/json;charset=latin1", GET_SHELF],
  [`application/json;a=${"b".repeat(238)}`, GET_SHELF],
  ["application/connect+json", GET_SHELF],
  ["application/json", WATCH_BOOKS],
])("rejects the content type %s at %s", async (contentType, path) => {
  await using server = await serve("2", shelfLibrary);
  const { headers, body } = await send(server, "POST", path, contentType, JSON_MESSAGE);
  expect(headers).toMatchObject({ ":status": 415, accept: expect.stringContaining("application/grpc+proto") });
  if (contentType !== "application/connect+json") expect(reasonOf(body)).toBe("CONTENT_TYPE_UNSUPPORTED");
  expect(server.connectRequests()).toBe(0);
});

test("rejects an unknown gRPC content type with the status of gRPC", async () => {
  await using server = await serve("2", shelfLibrary);
  const { headers } = await send(server, "POST", GET_SHELF, "Application/gRPC+thrift", FRAME);
  expect(headers).toMatchObject({ ":status": 415, "grpc-status": "3", "grpc-status-details-bin": expect.anything() });
});

test.each([
  ["GET", UPDATE_SHELF, "OPTIONS, POST"],
  ["HEAD", WATCH_BOOKS, "OPTIONS, POST"],
  ["PUT", GET_SHELF, "GET, HEAD, OPTIONS, POST"],
])("rejects %s at %s, and lists the methods", async (method, path, allow) => {
  await using server = await serve("2", shelfLibrary);
  const { headers, body } = await send(server, method, path, "application/json");
  expect(headers).toMatchObject({ ":status": 405, allow });
  if (method !== "HEAD") expect(reasonOf(body)).toBe("METHOD_NOT_ALLOWED");
  expect(await send(server, "OPTIONS", path, undefined)).toMatchObject({ headers: { ":status": 204, allow } });
});

test("answers HEAD like GET, without a body", async () => {
  await using server = await serve("2", shelfLibrary);
  const path = `${GET_SHELF}?encoding=json&message=${encodeURIComponent(JSON.stringify(SHELF))}`;
  const get = await send(server, "GET", path, undefined);
  expect(JSON.parse(get.body.toString())).toEqual({ name: "shelves/7", theme: "sea" });
  const head = await send(server, "HEAD", path, undefined);
  expect(head.headers).toMatchObject({ ":status": 200, "content-type": "application/json" });
  expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
  expect(head.body).toHaveLength(0);
});

test.each([
  ["GET", `?encoding=json&message=${encodeURIComponent(JSON.stringify(SHELF))}`, undefined, undefined],
  ["POST", "", "application/json", JSON_MESSAGE],
  ["POST", "", "application/grpc-web+proto", FRAME],
])("accepts a target in absolute form (RFC 9112 section 3.2.2): %s%s %s", async (method, query, contentType, body) => {
  await using server = await serve("1.1", shelfLibrary);
  const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
  const target = `http://example.com${GET_SHELF}${query}`;
  const { status, text } = await connectHttp1(server).send({ method, target, headers, body });
  expect(status).toBe(200);
  expect(text).toContain("shelves/7");
});

test.each([
  ["encoding=proto&message=%08%80%01", 400, "PATH_MALFORMED"],
  ["encoding=json&message=%", 400, "PATH_MALFORMED"],
  ["encoding=json&mess%age={}", 400, "PATH_MALFORMED"],
  ["encoding=json&base64=1&message=%21", 400, "BODY_MALFORMED"],
  ["encoding=json&base64=1&compression=gzip&message=AAAA", 400, "BODY_MALFORMED"],
  ["encoding=json&compression=zip&message={}", 501, "CONTENT_ENCODING_UNSUPPORTED"],
  ["encoding=xml&message={}", 415, "CONTENT_TYPE_UNSUPPORTED"],
  ["message={}", 415, "CONTENT_TYPE_UNSUPPORTED"],
])("rejects the query %s", async (query, status, reason) => {
  await using server = await serve("2", shelfLibrary);
  const { headers, body } = await send(server, "GET", `${GET_SHELF}?${query}`, undefined);
  expect(headers).toMatchObject({ ":status": status, "content-type": "application/json" });
  expect(reasonOf(body)).toBe(reason);
});

test("keeps the bytes of a query that is UTF-8", async () => {
  await using server = await serve("2", shelfLibrary);
  const message = Array.from(MESSAGE, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const { body } = await send(server, "GET", `${GET_SHELF}?encoding=proto&message=${message}`, undefined);
  expect(body.toString("latin1")).toContain("shelves/7");
});

test("reads and rejects content codings as RFC 9110 requires", async () => {
  await using server = await serve("2", shelfLibrary);
  const encoded = (coding: string, body: Uint8Array = gzipSync(JSON_MESSAGE)) =>
    send(server, "POST", GET_SHELF, "application/json", body, { "content-encoding": coding });
  for (const coding of ["gzip", "GZIP", "x-gzip", "identity, gzip"]) {
    expect((await encoded(coding)).headers[":status"]).toBe(200);
  }
  const { headers, body } = await encoded("deflate");
  expect(headers).toMatchObject({ ":status": 501, "accept-encoding": "zstd,br,gzip,identity" });
  expect(reasonOf(body)).toBe("CONTENT_ENCODING_UNSUPPORTED");
});
