import { type ConnectRouter, createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { buildService, httpGet, httpPost } from "../testing/build-service.js";
import { createLibrary, type LibraryMethods } from "../testing/library.js";
import { testRuntimes } from "../testing/test-runtime.js";
import { createTranscoder } from "./transcoder.js";

const SHELF: LibraryMethods = { getShelf: ({ name }) => ({ name, theme: "sea" }) };

describe.each(testRuntimes)("over $name", ({ serve, serveLibrary }) => {
  test("serves the other methods with unsupported: skip if one cannot be served", async () => {
    const service = buildService("Test", {
      Good: { http: httpGet("/good/{id}") },
      Bad: { clientStreaming: true, http: httpPost("/bad", "*") },
    });
    const routes = (router: ConnectRouter) =>
      router.service(service, { good: ({ id }: { id: string }) => ({ id, title: "found" }) } as never);
    expect(() => createTranscoder({ routes })).toThrow("test.v1.Test.Bad: ");
    const transcoder = createTranscoder({ routes, unsupported: "skip" });
    expect(transcoder.skipped).toEqual([expect.stringMatching(/^test\.v1\.Test\.Bad: /)]);
    await using server = await serve(transcoder);
    expect((await server.send({ target: "/good/5" })).text).toBe('{"id":"5","title":"found"}');
    expect((await server.send({ method: "POST", target: "/bad", body: "{}" })).status).toBe(404);
  });

  test("serves rules from outside the protos", async () => {
    const selector = "library.v1.LibraryService.GetShelf";
    await using server = await serveLibrary(SHELF, { rules: { rules: [{ selector, get: "/racks/{name}" }] } });
    expect((await server.send({ target: "/racks/7" })).text).toBe('{"name":"7","theme":"sea"}');
    expect((await server.send({ target: "/v1/shelves/7" })).status).toBe(405);
  });

  test("passes a unary call from a path to the handler and back", async () => {
    await using server = await serveLibrary(SHELF);
    const response = await server.send({ target: "/v1/shelves/7" });
    expect(response.text).toBe('{"name":"shelves/7","theme":"sea"}');
    expect(response).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json", "content-length": "34" },
    });
  });

  test("fills the message from body and query", async () => {
    await using server = await serveLibrary({
      createShelf: ({ shelf, shelfId }) => ({ name: `shelves/${shelfId}`, theme: shelf?.theme ?? "" }),
    });
    const response = await server.send({ method: "POST", target: "/v1/shelves?shelf_id=9", body: '{"theme":"sky"}' });
    expect(response.text).toBe('{"name":"shelves/9","theme":"sky"}');
  });

  test("serves an additional binding", async () => {
    await using server = await serveLibrary({ getBook: ({ id, name }) => ({ id, name }) });
    expect((await server.send({ target: "/v1/books/5" })).text).toBe('{"id":"5"}');
    expect((await server.send({ target: "/v1/shelves/1/books/5" })).text).toBe('{"name":"shelves/1/books/5"}');
  });

  test("serves a path under an alias of its prefix, and uses it in Location and Link", async () => {
    const methods: LibraryMethods = {
      createShelf: ({ shelfId }) => ({ name: `shelves/${shelfId}` }),
      listShelves: () => ({ nextPageToken: "next" }),
    };
    const options = { basePath: "/api", pathAliases: { "/library/v1": "/v1" } };
    await using server = await serveLibrary(methods, options);
    for (const prefix of ["/api/v1", "/api/library/v1"]) {
      const post = { method: "POST", target: `${prefix}/shelves?shelf_id=9`, body: "{}" };
      expect((await server.send(post)).headers.location).toBe(`${prefix}/shelves/9`);
      expect((await server.send({ target: `${prefix}/shelves` })).headers.link).toMatch(`<${prefix}/shelves?`);
      expect((await server.send({ method: "DELETE", target: `${prefix}/shelves` })).status).toBe(405);
    }
    expect((await server.send({ target: "/api/library/v2/shelves" })).status).toBe(404);
  });

  test("prefixes every path with the base path", async () => {
    await using server = await serveLibrary(SHELF, { basePath: "/api/library" });
    expect((await server.send({ target: "/api/library/v1/shelves/7" })).status).toBe(200);
    for (const target of ["/v1/shelves/7", "/api/library", "/api/libraryv1/shelves/7", "/api/v1/shelves/7"]) {
      expect((await server.send({ target })).status, target).toBe(404);
    }
  });
});

describe.each(testRuntimes)("options, over $name", ({ serveLibrary }) => {
  test("rule 11, rule 16: reads and writes bodies by the json option", async () => {
    const updateShelf: LibraryMethods["updateShelf"] = ({ name, theme = "" }) => ({ name, theme });
    const request = { method: "PUT", target: "/v1/shelves/7?x=1", body: '{"theme":"sea","unknown":1}' };
    await using strict = await serveLibrary({ updateShelf });
    expect((await strict.send(request)).status).toBe(400);
    const json = { unknownFields: "ignore", unknownQuery: ["x"], fieldNames: "proto", unset: "null" } as const;
    await using lenient = await serveLibrary({ updateShelf }, { json });
    expect((await lenient.send(request)).text).toBe(
      '{"name":"shelves/7","theme":"sea","capacity":null,"create_time":null}',
    );
  });

  test("rule 4: serves /a/ as /a with trailingSlash: ignore", async () => {
    await using strict = await serveLibrary(SHELF);
    expect((await strict.send({ target: "/v1/shelves/7/" })).status).toBe(404);
    await using lenient = await serveLibrary(SHELF, { trailingSlash: "ignore" });
    expect((await lenient.send({ target: "/v1/shelves/7/" })).text).toBe('{"name":"shelves/7","theme":"sea"}');
  });

  test("rule 3: keeps reserved characters encoded with keepReserved, except in a variable of one segment", async () => {
    const methods: LibraryMethods = {
      getShelf: ({ name }) => ({ name }),
      getBook: ({ id }) => ({ id }),
    };
    await using server = await serveLibrary(methods, { keepReserved: true });
    expect((await server.send({ target: "/v1/shelves/a%3Ab%C3%A9" })).text).toBe('{"name":"shelves/a%3Abé"}');
    expect((await server.send({ target: "/v1/books/a%3Ab" })).text).toBe('{"id":"a:b"}');
  });
});

test("accepts the routes function of Connect", async () => {
  const routes = (router: ConnectRouter) => {
    router.service(LibraryService, SHELF).rpc(LibraryService.method.getTitle, ({ id }) => ({ title: `Title ${id}` }));
  };
  const client = createClient(LibraryService, createRouterTransport(routes));
  expect(await client.getShelf({ name: "shelves/7" })).toMatchObject({ theme: "sea" });
  for (const { serve } of testRuntimes) {
    await using server = await serve(createTranscoder({ routes }));
    expect(await server.send({ target: "/v1/shelves/7" })).toMatchObject({ status: 200 });
    // As in Connect, the last registration of a method replaces the earlier ones.
    expect(await server.send({ target: "/v1/books/3/title" })).toMatchObject({ text: '"Title 3"' });
  }
});

test.each(["api", "/api/", "/", "/a//b", "/a?b"])("rejects the base path %j at start-up", (basePath) => {
  expect(() => createLibrary(SHELF, { basePath })).toThrow(`such as /api, but is "${basePath}"`);
});
