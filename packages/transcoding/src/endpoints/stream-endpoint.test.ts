import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { buildService, httpGet } from "../testing/build-service.js";
import type { LibraryMethods } from "../testing/library.js";
import { type OpenResponse, testRuntimes } from "../testing/test-runtime.js";
import { createTranscoder } from "../transcoder/transcoder.js";

const TARGET = "/v1/shelves/1/books:watch";

type WatchBooks = NonNullable<LibraryMethods["watchBooks"]>;

function counting(error?: Error): WatchBooks {
  return async function* ({ limit = 0 }) {
    for (let id = 1; id <= limit; id++) yield { id: String(id) };
    if (error !== undefined) throw error;
  };
}

async function readUntil(response: OpenResponse, length: number): Promise<number> {
  let read = 0;
  for await (const chunk of response.body) {
    read += chunk.length;
    if (read >= length) break;
  }
  return read;
}

const FollowService = buildService("Follow", {
  Follow: {
    serverStreaming: true,
    http: httpGet("/books:follow"),
    response: { eventStream: { id: "id", name: "title" } },
  },
});

describe.each(testRuntimes)("over $name", ({ serve, serveLibrary }) => {
  const serveBooks = (watchBooks: WatchBooks, options = {}) => serveLibrary({ watchBooks }, options);

  test.each([
    [undefined, "application/json", '[{"id":"1"},{"id":"2"}]'],
    ["*/*", "application/json", '[{"id":"1"},{"id":"2"}]'],
    ["application/*", "application/json", '[{"id":"1"},{"id":"2"}]'],
    ["text/html, application/json;q=0.5", "application/json", '[{"id":"1"},{"id":"2"}]'],
    ["application/x-ndjson", "application/x-ndjson", '{"id":"1"}\n{"id":"2"}\n'],
    ["application/json;q=0.9, application/x-ndjson", "application/x-ndjson", '{"id":"1"}\n{"id":"2"}\n'],
    ["text/event-stream", "text/event-stream", 'data: {"id":"1"}\n\ndata: {"id":"2"}\n\n'],
    ["text/*", "text/event-stream", 'data: {"id":"1"}\n\ndata: {"id":"2"}\n\n'],
    ["*/*, text/event-stream", "text/event-stream", 'data: {"id":"1"}\n\ndata: {"id":"2"}\n\n'],
  ])("rule 19: Accept %s selects %s", async (accept, contentType, text) => {
    await using server = await serveBooks(counting());
    const headers = accept === undefined ? {} : { accept };
    const response = await server.send({ target: `${TARGET}?limit=2`, headers });
    expect(response).toMatchObject({ status: 200, text, headers: { "content-type": contentType, vary: "accept" } });
  });

  test("rule 19: returns 406 if Accept allows none of the formats", async () => {
    await using server = await serveBooks(counting());
    const response = await server.send({ target: TARGET, headers: { accept: "text/html, application/json;q=0" } });
    expect(response.error).toMatchObject({ code: 406, details: [{ reason: "NOT_ACCEPTABLE" }] });
  });

  test.each([
    ["application/json", "[]"],
    ["application/x-ndjson", ""],
    ["text/event-stream", ""],
  ])("rule 19: sends a stream without messages as %s", async (accept, text) => {
    await using server = await serveBooks(counting());
    expect(await server.send({ target: TARGET, headers: { accept } })).toMatchObject({ status: 200, text });
  });

  test("rule 19: returns the status of an error before the first message", async () => {
    await using server = await serveBooks(counting(new ConnectError("no shelf", Code.NotFound)));
    const response = await server.send({ target: TARGET, headers: { accept: "text/event-stream" } });
    expect(response).toMatchObject({ status: 404, headers: { "content-type": "application/json" } });
    expect(response.error).toMatchObject({ code: 404, message: "no shelf" });
  });

  const RECORD =
    '{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[' +
    '{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NOT_FOUND","domain":"library"}]}}';

  test.each([
    ["application/json", `[{"id":"1"},${RECORD}]`],
    ["application/x-ndjson", `{"id":"1"}\n${RECORD}\n`],
    ["text/event-stream", `data: {"id":"1"}\n\nevent: error\ndata: ${RECORD}\n\n`],
  ])("rule 19: sends an error after a message as the last record of %s", async (accept, text) => {
    const books = counting(new ConnectError("gone", Code.NotFound));
    await using server = await serveBooks(books, { errors: { domain: "library" } });
    const response = await server.send({ target: `${TARGET}?limit=1`, headers: { accept } });
    expect(response).toMatchObject({ status: 200, text });
  });

  test("rule 19: wraps an error record in the key `error`, also with bare statuses", async () => {
    await using server = await serveBooks(counting(new Error("secret")), { errors: { shape: "status" } });
    const response = await server.send({ target: `${TARGET}?limit=1`, headers: { accept: "application/x-ndjson" } });
    const [, last = ""] = response.text.split("\n");
    expect(JSON.parse(last)).toMatchObject({ error: { code: Code.Internal, message: "internal error" } });
  });

  test("rule 14: sends a deadline error as the last record even if the handler ignores the signal", async () => {
    await using server = await serveBooks(async function* () {
      yield { id: "1" };
      await new Promise(() => {});
    });
    const headers = { accept: "application/x-ndjson", "x-server-timeout": "0.05" };
    const response = await server.send({ target: TARGET, headers });
    const [first, last = ""] = response.text.split("\n");
    expect(first).toBe('{"id":"1"}');
    expect(JSON.parse(last)).toMatchObject({ error: { code: 504, status: "DEADLINE_EXCEEDED" } });
  });

  test("rule 19: sends each message immediately", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using server = await serveBooks(async function* () {
      yield { id: "1" };
      await promise;
      yield { id: "2" };
    });
    const response = await server.open({ target: TARGET, headers: { accept: "application/x-ndjson" } });
    const texts: string[] = [];
    for await (const chunk of response.body) {
      texts.push(new TextDecoder().decode(chunk));
      resolve();
    }
    expect(texts).toEqual(['{"id":"1"}\n', '{"id":"2"}\n']);
  });

  test("rule 19: applies back-pressure to the handler if the client reads slowly", async () => {
    let made = 0;
    const message = { id: "x".repeat(64 * 1024) };
    const { promise: returned, resolve } = Promise.withResolvers<void>();
    await using server = await serveBooks(async function* () {
      try {
        for (;;) {
          made += 1;
          yield message;
        }
      } finally {
        resolve();
      }
    });
    const response = await server.open({ target: TARGET });
    await new Promise((done) => setTimeout(done, 300));
    const madeUnread = made;
    expect(madeUnread).toBeLessThan(1000);
    await new Promise((done) => setTimeout(done, 100));
    expect(made).toBe(madeUnread);
    await readUntil(response, (madeUnread + 10) * 64 * 1024);
    expect(made).toBeGreaterThan(madeUnread);
    response.abort();
    await returned;
  });

  test("rule 21: answers a HEAD of a stream with the status and ends the iteration", async () => {
    const { promise: returned, resolve } = Promise.withResolvers<void>();
    await using server = await serveBooks(async function* () {
      try {
        for (;;) yield { id: "1" };
      } finally {
        resolve();
      }
    });
    const response = await server.send({ method: "HEAD", target: TARGET });
    expect(response).toMatchObject({ status: 200, text: "", headers: { "content-type": "application/json" } });
    await returned;
  });

  test("rule 13: concatenates the bytes of a stream of HttpBody", async () => {
    await using server = await serveLibrary({
      async *downloadFile() {
        yield { contentType: "image/png", data: new Uint8Array([1, 2]) };
        yield { data: new Uint8Array([3]) };
      },
    });
    const response = await server.send({ target: "/v1/files/a:download" });
    expect(response.headers).toMatchObject({ "content-type": "image/png" });
    expect([...response.bytes]).toEqual([1, 2, 3]);
  });

  test("rule 19: names server-sent events and gives them ids, and sends only the id of a message without a name", async () => {
    const routes = (router: ConnectRouter) =>
      router.service(FollowService, {
        async *follow() {
          yield { id: "1", title: "created" };
          yield { id: "2\n\r\0data: x", title: "two\nlines" };
          yield { id: "3" };
          yield { title: "no id" };
        },
      } as never);
    await using server = await serve(createTranscoder({ routes }));
    const { text } = await server.send({ target: "/books:follow", headers: { accept: "text/event-stream" } });
    const events = text
      .split("\n\n")
      .map((event) => event.replace(/^data: (.*)$/m, (_, data) => JSON.parse(data).title));
    expect(events).toEqual([
      "id: 1\nevent: created\ncreated",
      "id: 2data: x\nevent: twolines\ntwo\nlines",
      "id: 3",
      "event: no id\nno id",
      "",
    ]);
    const lines = await server.send({ target: "/books:follow", headers: { accept: "application/x-ndjson" } });
    expect(
      lines.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).id),
    ).toEqual(["1", "2\n\r\0data: x", "3", undefined]);
  });
});
