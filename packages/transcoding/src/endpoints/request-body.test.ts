import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { LibraryMethods } from "../testing/library.js";
import { type TestResponse, type TestServer, testRuntimes } from "../testing/test-runtime.js";

const METHODS: LibraryMethods = {
  getShelf: ({ name }) => ({ name }),
  createShelf: ({ shelf }) => ({ theme: shelf?.theme ?? "" }),
  createBook: ({ book }) => ({ id: "1", title: book?.title ?? "" }),
};

function post(server: TestServer, headers: Record<string, string>, body: string | Uint8Array = '{"theme":"sea"}') {
  return server.send({ method: "POST", target: "/v1/shelves", headers, body });
}

function reasonOf({ error }: TestResponse): unknown {
  return error.details.find((detail: { reason?: string }) => detail.reason)?.reason;
}

describe.each(testRuntimes)("over $name", ({ serveLibrary }) => {
  test.each([
    ["application/json"],
    ["Application/JSON; Charset=UTF-8"],
    ['application/json;charset="utf-8"'],
    ["application/merge-patch+json"],
  ])("rule 11: accepts JSON with the content type %s", async (contentType) => {
    await using server = await serveLibrary(METHODS);
    const response = await post(server, { "content-type": contentType });
    expect(response).toMatchObject({ status: 201, text: '{"theme":"sea"}' });
  });

  test.each([
    ["text/plain"],
    ["application/x-www-form-urlencoded"],
    ["application/json; charset=utf-16"],
    ["json"],
    [""],
  ])("rule 11: returns 415 with a hint for the content type %j", async (contentType) => {
    await using server = await serveLibrary(METHODS);
    const response = await post(server, { "content-type": contentType });
    expect(response).toMatchObject({ status: 415, headers: { accept: "application/json" } });
    expect(response.error).toMatchObject({ code: 415, status: "INVALID_ARGUMENT" });
    expect(response.text).toContain("Content-Type: application/json");
    expect(reasonOf(response)).toBe("CONTENT_TYPE_UNSUPPORTED");
  });

  test("rule 11: reads a missing body as an empty object", async () => {
    await using server = await serveLibrary({ moveBook: ({ name }) => ({ name }) });
    const response = await server.send({ method: "POST", target: "/v1/shelves/1/books/2:move" });
    expect(response).toMatchObject({ status: 200, text: '{"name":"shelves/1/books/2"}' });
  });

  test("rule 9: rejects a body if the rule binds none", async () => {
    await using server = await serveLibrary(METHODS);
    const response = await server.send({ method: "GET", target: "/v1/shelves/7" });
    expect(response.status).toBe(200);
    const refused = await server.send({ method: "DELETE", target: "/v1/shelves/7", body: "{}" });
    expect(refused.status).toBe(400);
    expect(reasonOf(refused)).toBe("BODY_MALFORMED");
  });

  test("rule 11: returns 413 for a body over the limit, with or without Content-Length", async () => {
    await using server = await serveLibrary(METHODS, { readMaxBytes: 100 });
    for (const length of [101, 100_000, 3_000_000]) {
      const body = `{"theme":"${"x".repeat(length - 12)}"}`;
      const response = await server.send({ method: "POST", target: "/v1/shelves", body });
      expect(response.error).toMatchObject({ code: 413, status: "RESOURCE_EXHAUSTED" });
      expect(reasonOf(response)).toBe("BODY_TOO_LARGE");
    }
    const fits = `{"theme":"${"x".repeat(88)}"}`;
    expect(await server.send({ method: "POST", target: "/v1/shelves", body: fits })).toMatchObject({ status: 201 });
  });

  test("rule 11: limits bodies to 4 MiB by default", async () => {
    await using server = await serveLibrary({ createShelf: () => ({}) });
    const body = (bytes: number) => `{"theme":"${"x".repeat(bytes - 12)}"}`;
    const send = (bytes: number) => server.send({ method: "POST", target: "/v1/shelves", body: body(bytes) });
    expect((await send(4 * 1024 * 1024)).status).toBe(201);
    expect((await send(4 * 1024 * 1024 + 1)).status).toBe(413);
  });

  test.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["GZIP, br", (text: string) => brotliCompressSync(gzipSync(text))],
    ["identity", (text: string) => Buffer.from(text)],
  ])("rule 11: decodes Content-Encoding %s", async (coding, encode) => {
    await using server = await serveLibrary(METHODS);
    const response = await post(server, { "content-encoding": coding }, encode('{"theme":"sea"}'));
    expect(response).toMatchObject({ status: 201, text: '{"theme":"sea"}' });
  });

  test.each(["gzip", "br", "zstd", "gzip, br"])(
    "rule 11: an empty body with Content-Encoding %s is empty",
    async (coding) => {
      await using server = await serveLibrary(METHODS);
      const [plain, coded] = await Promise.all([
        post(server, {}, ""),
        post(server, { "content-encoding": coding }, ""),
      ]);
      expect([coded.status, coded.text]).toEqual([plain.status, plain.text]);
      expect(coded.status).toBe(201);
    },
  );

  const BOMB = Buffer.alloc(5_000_000, " ");
  const THRICE = gzipSync(brotliCompressSync(gzipSync("{}")));

  test.each<[what: string, coding: string, body: string | Uint8Array, status: number, reason: string]>([
    ["an unknown coding", "deflate", "{}", 415, "CONTENT_ENCODING_UNSUPPORTED"],
    ["more than two codings", "gzip, br, gzip", THRICE, 415, "CONTENT_ENCODING_UNSUPPORTED"],
    ["invalid gzip", "gzip", "{}", 400, "BODY_MALFORMED"],
    ["invalid br", "br", "{}", 400, "BODY_MALFORMED"],
    ["invalid zstd", "zstd", "{}", 400, "BODY_MALFORMED"],
    ["a gzip bomb", "gzip", gzipSync(BOMB), 413, "BODY_TOO_LARGE"],
    ["a br bomb", "br", brotliCompressSync(BOMB), 413, "BODY_TOO_LARGE"],
    ["a zstd bomb", "zstd", zstdCompressSync(BOMB), 413, "BODY_TOO_LARGE"],
  ])("rule 11: rejects %s", async (_, coding, body, status, reason) => {
    await using server = await serveLibrary(METHODS, { readMaxBytes: 100_000 });
    const response = await post(server, { "content-encoding": coding }, body);
    expect(response.status).toBe(status);
    expect(reasonOf(response)).toBe(reason);
    if (coding === "deflate") expect(response.headers["accept-encoding"]).toBe("zstd,br,gzip,identity");
  });

  test("rule 13: receives and sends an HttpBody unchanged", async () => {
    await using server = await serveLibrary({ echo: (body) => body });
    const bytes = new Uint8Array([0, 255, 1, 254]);
    const headers = { "content-type": "image/png" };
    const response = await server.send({ method: "POST", target: "/v1:echo", headers, body: bytes });
    expect(response).toMatchObject({ status: 200, headers: { "content-type": "image/png", "content-length": "4" } });
    expect(new Uint8Array(response.bytes)).toEqual(bytes);
  });

  test("rule 13: sends an HttpBody without a type as application/octet-stream", async () => {
    await using server = await serveLibrary({ getFile: () => ({ data: new Uint8Array([1]) }) });
    const response = await server.send({ target: "/v1/files/a" });
    expect(response.headers).toMatchObject({ "content-type": "application/octet-stream" });
  });

  test("rule 13: fills an HttpBody field from the body, and other fields from path and query", async () => {
    const putFile: LibraryMethods["putFile"] = ({ path, content, comment }) => ({
      path,
      contentType: `${content?.contentType} ${comment}`,
      size: 1n,
    });
    await using server = await serveLibrary({ putFile });
    const headers = { "content-type": "text/plain" };
    const response = await server.send({ method: "PUT", target: "/v1/files/a/b?comment=new", headers, body: "x" });
    expect(JSON.parse(response.text)).toEqual({ path: "a/b", size: "1", contentType: "text/plain new" });
  });
});
