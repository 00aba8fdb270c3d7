import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { createLibrary, type LibraryMethods } from "../testing/library.js";
import { runtimes } from "../testing/test-runtime.js";

const METHODS: LibraryMethods = {
  getShelf: ({ name }, { requestMethod }) => ({ name, theme: requestMethod, etag: '"v1"' }),
  updateShelf: ({ name, theme = "" }, { requestMethod }) => ({ name, theme: `${requestMethod} ${theme}` }),
  deleteShelf: () => ({}),
  updateBook: ({ updateMask }) => ({ tags: updateMask?.paths ?? [] }),
  createShelf: () => ({ theme: "created" }),
};

const SHELF = "/v1/shelves/7";

describe.each(runtimes)("rule 24: over $name X-HTTP-Method-Override", ({ serve }) => {
  const override = (method: string) => ({ method: "POST", headers: { "x-http-method-override": method } });

  test("stands for the method of a POST by option", async () => {
    await using server = await serve(createLibrary(METHODS, { methodOverride: true }));
    const put = await server.send({ ...override("PUT"), target: SHELF, body: '{"theme":"sea"}' });
    expect(put.text).toBe('{"name":"shelves/7","theme":"PUT sea"}');
    expect((await server.send({ ...override("DELETE"), target: SHELF })).status).toBe(204);
    expect((await server.send({ ...override("get"), target: SHELF })).text).toBe('{"name":"shelves/7","theme":"GET"}');
    const patch = await server.send({ ...override("PATCH"), target: "/v1/shelves/1/books/2", body: '{"title":"x"}' });
    expect(patch.text).toBe('{"tags":["title"]}');
    const post = await server.send({ ...override("POST"), target: "/v1/shelves", body: "{}" });
    expect(post.text).toBe('{"theme":"created"}');
  });

  test("makes a conditional GET of a POST", async () => {
    await using server = await serve(createLibrary(METHODS, { methodOverride: true }));
    const headers = { "x-http-method-override": "GET", "if-none-match": '"v1"' };
    expect((await server.send({ method: "POST", target: SHELF, headers })).status).toBe(304);
  });

  test("leaves the call its signal, which aborts when the client goes away", async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const client = new AbortController();
    const getShelf: LibraryMethods["getShelf"] = (_, { signal }) => {
      signal.addEventListener("abort", () => resolve(signal.reason));
      client.abort();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    await using server = await serve(createLibrary({ getShelf }, { methodOverride: true }));
    server.open({ ...override("GET"), target: SHELF }, client.signal).catch(() => {});
    expect(ConnectError.from(await promise).code).toBe(Code.Canceled);
  });

  test("is not looked at by default, nor with another method than POST", async () => {
    await using plain = await serve(createLibrary(METHODS));
    expect((await plain.send({ ...override("DELETE"), target: SHELF })).status).toBe(405);
    await using server = await serve(createLibrary(METHODS, { methodOverride: true }));
    const headers = { "x-http-method-override": "DELETE" };
    expect((await server.send({ target: SHELF, headers })).status).toBe(200);
  });

  test.each(["HEAD", "OPTIONS", "QUERY", "", "PUT, DELETE"])("of %j is 400", async (method) => {
    await using server = await serve(createLibrary(METHODS, { methodOverride: true }));
    const response = await server.send({ ...override(method), target: SHELF });
    expect(JSON.parse(response.text).error).toMatchObject({
      code: 400,
      message: "X-HTTP-Method-Override must be one of DELETE, GET, PATCH, POST, PUT",
      details: [{ reason: "HEADER_MALFORMED" }],
    });
  });

  test("is let through by a preflight", async () => {
    const cors = { origins: ["https://example.com"] };
    await using server = await serve(createLibrary(METHODS, { methodOverride: true, cors }));
    const headers = {
      origin: "https://example.com",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-http-method-override",
    };
    const response = await server.send({ method: "OPTIONS", target: SHELF, headers });
    expect(response.headers).toMatchObject({
      allow: "DELETE, GET, HEAD, OPTIONS, PUT",
      "access-control-allow-methods": "DELETE, GET, HEAD, OPTIONS, POST, PUT",
    });
  });
});
