import { createContextKey, createContextValues } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { createLibrary } from "../testing/library.js";
import { createFetchHandler } from "./fetch-handler.js";

const URL = "http://example.com/v1/shelves/7";
const library = createLibrary({
  getShelf: ({ name }) => ({ name, theme: "x".repeat(2000) }),
  createShelf: ({ shelf }) => ({ theme: shelf?.theme ?? "" }),
});

test("ignores a fragment", async () => {
  const response = await createFetchHandler(library)(new Request(`${URL}#top`));
  expect(await response.json()).toMatchObject({ name: "shelves/7" });
});

test("reports a body that has already been read", async () => {
  const request = new Request("http://example.com/v1/shelves", {
    method: "POST",
    body: new TextEncoder().encode("{}"),
  });
  await request.text();
  const response = await createFetchHandler(library)(request);
  expect(JSON.parse(await response.text()).error).toMatchObject({
    code: 500,
    message: "the request body has already been read: serve the transcoder before any middleware that reads bodies",
  });
});

test("rule 2: does not split a segment at an escaped slash", async () => {
  const transcoder = createLibrary({ getBook: ({ id }) => ({ id }) });
  const response = await createFetchHandler(transcoder)(new Request("http://example.com/v1/books/a%2Fb"));
  expect(await response.text()).toBe('{"id":"a/b"}');
});

test.each([
  ["gzip", "gzip"],
  ["br", "brotli"],
] as const)("rule 11: %s out and in, with the runtime's own CompressionStream", async (coding, format) => {
  const handler = createFetchHandler(library);
  const response = await handler(new Request(URL, { headers: { "accept-encoding": coding } }));
  expect(response.headers.get("content-encoding")).toBe(coding);
  const plain = response.body?.pipeThrough(new DecompressionStream(format));
  expect(await new Response(plain).json()).toMatchObject({ name: "shelves/7" });

  const post = async (body: ArrayBuffer) => {
    const headers = { "content-encoding": coding };
    return handler(new Request("http://example.com/v1/shelves", { method: "POST", headers, body }));
  };
  const encode = (text: string) =>
    new Response(new Response(text).body?.pipeThrough(new CompressionStream(format))).arrayBuffer();
  expect(await (await post(await encode('{"theme":"sea"}'))).json()).toEqual({ theme: "sea" });
  expect((await post(await encode(" ".repeat(5_000_000)))).status).toBe(413);
  expect((await post(new ArrayBuffer(9))).status).toBe(400);
});

test("rule 11: stops reading a body of unknown length at the limit", async () => {
  let pulled = 0;
  let canceled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
    cancel() {
      canceled = true;
    },
  });
  const init = { method: "POST", body, duplex: "half" } as RequestInit;
  const response = await createFetchHandler(library)(new Request("http://example.com/v1/shelves", init));
  expect(response.status).toBe(413);
  expect(pulled).toBeLessThan(10);
  expect(canceled).toBe(true);
});

test("creates context values from the request", async () => {
  const key = createContextKey("");
  const transcoder = createLibrary({ getShelf: (_, { values }) => ({ name: values.get(key) }) });
  const handler = createFetchHandler(transcoder, {
    contextValues: (request) => createContextValues().set(key, request.headers.get("x-key") ?? ""),
  });
  const response = await handler(new Request(URL, { headers: { "x-key": "value" } }));
  expect(await response.text()).toBe('{"name":"value"}');
});

test("passes requests that match no path to the fallback", async () => {
  const handler = createFetchHandler(library, { fallback: () => new Response(null, { status: 418 }) });
  expect((await handler(new Request("http://example.com/healthz"))).status).toBe(418);
  expect((await handler(new Request(URL))).status).toBe(200);
});
