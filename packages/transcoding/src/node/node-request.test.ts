import * as http from "node:http";
import * as http2 from "node:http2";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { collect } from "../testing/conformance.js";
import { listen } from "../testing/listen.js";
import { connectHttp1, connectHttp2, type TestRequest, type TestServer } from "../testing/test-runtime.js";
import { Http1Request } from "./http1-request.js";
import { Http2Request } from "./http2-request.js";
import type { NodeRequest, RequestConnection } from "./node-request.js";

type Handle = (given: NodeRequest) => void;

const PEER = { address: "127.0.0.1", port: 1, isEncrypted: false, certificateName: undefined };

/** Serves requests over HTTP/1.1, and connects a client. */
async function serveHttp1(handle: Handle, connection: RequestConnection): Promise<TestServer> {
  const server = http.createServer((...given) => handle(new Http1Request(...given, connection)));
  server.on("checkContinue", (...given) => handle(new Http1Request(...given, connection, true)));
  return connectHttp1(await listen(server));
}

/** Serves requests over HTTP/2, and connects a client. */
async function serveHttp2(handle: Handle, connection: RequestConnection): Promise<TestServer> {
  const server = http2.createServer();
  server.on("stream", (stream, headers, flags, rawHeaders) =>
    handle(new Http2Request(stream, headers, flags, rawHeaders, connection)),
  );
  return connectHttp2(await listen(server));
}

/** Receives the body of a request. Rejects with the error of `onAbort`, or with "the client disconnected". */
function receiveBody(request: NodeRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    request.receive({
      onData(chunk) {
        chunks.push(chunk);
        request.consume(chunk.length);
      },
      onEnd: () => resolve(Buffer.concat(chunks)),
      onAbort: (error) => reject(error ?? new Error("the client disconnected")),
    });
  });
}

async function* pieces(...texts: readonly string[]): AsyncIterable<Buffer> {
  for (const text of texts) {
    await pause(1);
    yield Buffer.from(text);
  }
}

async function* unending(begin: Uint8Array): AsyncIterable<Uint8Array> {
  yield begin;
  await new Promise(() => {});
}

function throwError(): never {
  throw new Error("thrown by a test");
}

describe.each([
  { version: "HTTP/1.1", serve: serveHttp1 },
  { version: "HTTP/2", serve: serveHttp2 },
])("$version", ({ version, serve }) => {
  async function start(handle: Handle, overrides: Partial<RequestConnection> = {}) {
    const ends: (number | undefined)[] = [];
    const observe = (given: NodeRequest) => {
      given.addHeader("x-added", "1");
      given.onEnd((status) => ends.push(status));
      try {
        handle(given);
      } catch (error) {
        given.fail(error);
      }
    };
    const onError = (given: NodeRequest) => given.respond(500, {});
    const server = await serve(observe, { peer: PEER, codings: [], onError, ...overrides });
    onTestFinished(() => server[Symbol.asyncDispose]());
    return { ...server, ends };
  }

  async function roundTrip(handle: Handle, request: Partial<TestRequest> = {}) {
    const { send, ends } = await start(handle);
    return { ...(await send({ target: "/", ...request })), ends };
  }

  test("provides the head of a request", async () => {
    let seen: object = {};
    await roundTrip(
      (given) => {
        const { httpVersion, method, target, hasBody } = given;
        seen = { httpVersion, method, target, host: given.header("host"), own: given.header("x-own"), hasBody };
        const names = Array.from(given.headerEntries(), ([name]) => name);
        expect(names.filter((name) => name.startsWith(":"))).toEqual([]);
        expect(names.filter((name) => name === "host")).toEqual(["host"]);
        expect(given.isRepeated("x-own")).toBe(false);
        given.respond(204, {});
      },
      { method: "DELETE", target: "/a%2F?b=c", headers: { "x-own": "1" } },
    );
    expect(seen).toEqual({
      httpVersion: version === "HTTP/1.1" ? "1.1" : "2.0",
      method: "DELETE",
      target: "/a%2F?b=c",
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      own: "1",
      hasBody: false,
    });
  });

  test.each([undefined, "text", "é", Buffer.from("bytes"), "x".repeat(100_000)])("sends a response", async (body) => {
    const response = await roundTrip((given) => given.respond(201, { link: ["<1>", "<2>"], "x-a": "b" }, body));
    const text = body?.toString() ?? "";
    expect(response).toMatchObject({ status: 201, text });
    expect(response.headers).toMatchObject({ "x-a": "b", "x-added": "1", link: "<1>, <2>" });
    // Over HTTP/2, a response without a body is a single HEADERS frame without `content-length`.
    const hasLength = version === "HTTP/1.1" || body !== undefined;
    expect(response.headers["content-length"]).toBe(hasLength ? String(Buffer.byteLength(text)) : undefined);
    expect(Math.abs(Date.parse(String(response.headers.date)) - Date.now())).toBeLessThan(5000);
    await expect.poll(() => response.ends).toEqual([201]);
  });

  test("sends only the first response, and is over after it", async () => {
    const response = await roundTrip((given) => {
      expect([given.hasResponded, given.isOver]).toEqual([false, false]);
      given.respond(200, {}, "first");
      expect([given.hasResponded, given.isOver]).toEqual([true, true]);
      given.respond(500, {}, "second");
      given.onGone(() => expect.unreachable());
    });
    expect(response).toMatchObject({ status: 200, text: "first" });
    await pause(20);
    expect(response.ends).toEqual([200]);
  });

  test("sends several responses with the same frozen headers", async () => {
    const headers = Object.freeze({ "x-frozen": "1", "content-type": "text/plain" });
    const trailers = Object.freeze({ "x-end": "2" });
    const { send } = await start((given) => given.respond(Number(given.target.slice(1)), headers, "text", trailers));
    for (const status of [200, 404, 200]) {
      const response = await send({ target: `/${status}` });
      expect(response).toMatchObject({
        status,
        headers: { "x-frozen": "1" },
        text: "text",
        trailers: { "x-end": "2" },
      });
    }
  });

  test.each([
    [200, "HEAD", "7"],
    [204, "GET", undefined],
    [304, "GET", undefined],
  ])("sends no body with %i to %s", async (status, method, length) => {
    for (const respond of [
      (given: NodeRequest) => given.respond(status, {}, "content"),
      (given: NodeRequest) =>
        void given.stream(status, length === undefined ? {} : { "content-length": length }, pieces("content")),
    ]) {
      const response = await roundTrip(respond, { method });
      expect(response).toMatchObject({ status, text: "" });
      expect(response.headers["content-length"]).toBe(length);
      await expect.poll(() => response.ends).toEqual([status]);
    }
  });

  test("sends no length with HEAD if that of the body is unknown", async () => {
    const response = await roundTrip((given) => void given.stream(200, {}, pieces("content")), { method: "HEAD" });
    expect(response).toMatchObject({ status: 200, text: "" });
    expect(response.headers).not.toHaveProperty("content-length");
  });

  test("streams a body with trailers", async () => {
    const response = await roundTrip((given) => {
      void given.stream(200, { "x-a": "b" }, pieces("a", "", "bc"), () => ({ "x-end": "1" }));
    });
    expect(response).toMatchObject({ status: 200, headers: { "x-a": "b", "x-added": "1" }, text: "abc" });
    expect(response.trailers).toMatchObject({ "x-end": "1" });
    await expect.poll(() => response.ends).toEqual([200]);
  });

  test("sends the date with trailers (RFC 9110 section 6.6.1)", async () => {
    const trailers = { "x-end": "1" };
    for (const respond of [
      (given: NodeRequest) => given.respond(200, { "content-type": "application/json" }, "{}", trailers),
      (given: NodeRequest) => void given.stream(200, {}, pieces("a"), () => trailers),
    ]) {
      const response = await roundTrip(respond);
      expect(response).toMatchObject({ status: 200, trailers });
      expect(response.headers).toHaveProperty("date");
    }
  });

  test("requests no more pieces of a streamed body than the client reads", async () => {
    let asked = 0;
    const piece = Buffer.alloc(64 * 1024, "a");
    async function* body() {
      for (; asked < 1000; asked++) yield piece;
    }
    const { open, ends } = await start((given) => void given.stream(200, {}, body()));
    const response = await open({ target: "/" });
    await pause(300);
    expect(asked).toBeLessThan(900);
    let size = 0;
    for await (const chunk of response.body) size += chunk.length;
    expect(size).toBe(1000 * piece.length);
    await expect.poll(() => ends).toEqual([200]);
  });

  test("ends a streamed body when the client disconnects", async () => {
    let isEnded = false;
    let isResolved = false;
    async function* endless() {
      try {
        for (;;) {
          yield "more";
          await pause(5);
        }
      } finally {
        isEnded = true;
      }
    }
    const { open, ends } = await start(async (given) => {
      await given.stream(200, {}, endless());
      isResolved = true;
    });
    const response = await open({ target: "/" });
    for await (const chunk of response.body) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    response.abort();
    await expect.poll(() => [isEnded, isResolved, ends]).toEqual([true, true, [undefined]]);
  });

  test.each(["a\r\nb", "\u010a", "\0"])("throws for the header value %j, and sends nothing", async (value) => {
    const response = await roundTrip((given) => {
      expect(() => given.respond(200, { "x-a": value }, "no")).toThrow(TypeError);
      expect(given.hasResponded).toBe(false);
      given.respond(500, { "x-b": "c" }, "failed");
    });
    expect(response).toMatchObject({ status: 500, text: "failed" });
    expect(response.headers["x-a"]).toBeUndefined();
    await expect.poll(() => response.ends).toEqual([500]);
  });

  test.each([0, 10, 300_000])("reads a body of %i bytes", async (size) => {
    const body = Buffer.alloc(size, "b");
    let received = 0;
    const response = await roundTrip(
      async (given) => {
        const read = await receiveBody(given);
        received = given.receivedBytes;
        given.respond(200, {}, read);
      },
      { method: "POST", body },
    );
    expect(response.text).toBe(body.toString());
    expect(received).toBe(size);
  });

  test("reads a body piece by piece", async () => {
    const long = "d".repeat(200_000);
    const body = pieces("a", "b", "c", long);
    const response = await roundTrip(async (given) => given.respond(200, {}, await receiveBody(given)), {
      ...{ method: "POST", body },
    });
    expect(response.text).toBe(`abc${long}`);
  });

  test.each([100, 200_000])("responds while a body of %i bytes is still arriving", async (size) => {
    const { open, ends } = await start((given) => {
      given.receive({ onData: () => given.respond(413, {}, "too large"), onEnd() {}, onAbort() {} });
    });
    for (const body of [Buffer.alloc(size), unending(Buffer.alloc(size))]) {
      const response = await open({ method: "POST", target: "/", body });
      expect(response.status).toBe(413);
      response.abort();
    }
    await expect.poll(() => ends).toEqual([413, 413]);
  });

  test("reports that the client disconnected", async () => {
    let gone = 0;
    let request: NodeRequest | undefined;
    const { open, ends } = await start((given) => {
      request = given;
      given.onGone(() => expect.unreachable())();
      given.onGone(() => gone++);
    });
    const client = new AbortController();
    const response = open({ target: "/" }, client.signal);
    await expect.poll(() => request).toBeDefined();
    client.abort();
    await expect(response).rejects.toThrow();
    await expect.poll(() => [gone, ends]).toEqual([1, [undefined]]);
    request?.respond(200, {}, "too late");
    request?.onGone(() => gone++);
    expect([gone, ends, request?.isOver]).toEqual([2, [undefined], true]);
  });

  test("reports to the reader of a body that the client disconnected", async () => {
    const failures: unknown[] = [];
    let request: NodeRequest | undefined;
    const { open, ends } = await start((given) => {
      request = given;
      receiveBody(given).catch((error) => failures.push(error));
    });
    const client = new AbortController();
    const headers = { "content-length": "500000" };
    const body = unending(Buffer.from("begun"));
    const response = open({ method: "POST", target: "/", headers, body }, client.signal);
    await expect.poll(() => request?.receivedBytes).toBe(5);
    client.abort();
    await expect(response).rejects.toThrow();
    await expect.poll(() => ends).toEqual([undefined]);
    expect(failures).toEqual([new Error("the client disconnected")]);
  });

  test("aborts before a response", async () => {
    let gone = 0;
    const { send, ends } = await start((given) => {
      given.onGone(() => gone++);
      given.abort();
    });
    await expect(send({ target: "/" })).rejects.toThrow();
    await expect.poll(() => [gone, ends]).toEqual([1, [undefined]]);
  });

  test("aborts during a response", async () => {
    async function* endless() {
      for (;;) {
        yield "more";
        await pause(1);
      }
    }
    const { open, ends } = await start(async (given) => {
      setTimeout(() => given.abort(), 50);
      await given.stream(200, {}, endless());
    });
    const { status, body } = await open({ target: "/" });
    expect(status).toBe(200);
    await expect(collect(body)).rejects.toThrow();
    await expect.poll(() => ends).toEqual([undefined]);
  });

  test("sends 100 (Continue) when the body is read, and not otherwise", async () => {
    const { open, send } = await start(async (given) => {
      if (given.target === "/read") given.respond(200, {}, await receiveBody(given));
      else given.respond(403, {}, "refused");
    });
    const request = { method: "POST", headers: { expect: "100-continue", "content-length": "4" } };
    const { promise: continued, resolve: onContinue } = Promise.withResolvers<void>();
    async function* waiting() {
      await continued;
      yield Buffer.from("body");
    }
    const read = await send({ ...request, target: "/read", body: waiting(), onContinue });
    expect(read).toMatchObject({ status: 200, text: "body" });
    let isContinued = false;
    const refused = await open({
      ...{ ...request, target: "/refused", body: unending(Buffer.alloc(0)) },
      onContinue: () => {
        isContinued = true;
      },
    });
    expect([refused.status, isContinued]).toEqual([403, false]);
    refused.abort();
  });

  test("fails if the observer of its complete body throws", async () => {
    const read = (given: NodeRequest) => given.receive({ onData() {}, onEnd() {}, onAbort() {} });
    const { send } = await start(read, { onBodyComplete: throwError });
    expect(await send({ method: "POST", target: "/", body: "body" })).toMatchObject({ status: 500 });
  });

  test("sends a response although its observer throws", async () => {
    const { send, ends } = await start((given) => given.respond(200, {}, "done"), { onComplete: throwError });
    expect(await send({ target: "/" })).toMatchObject({ status: 200, text: "done" });
    await expect.poll(() => ends).toEqual([200]);
  });

  test("is aborted if its failure cannot be reported", async () => {
    const { send } = await start(throwError, { onError: throwError });
    await expect(send({ target: "/" })).rejects.toThrow();
  });

  test("changes its progress with each part of the body and the response", async () => {
    const requests: NodeRequest[] = [];
    const { send } = await start((given) => requests.push(given));
    const response = send({ target: "/" });
    await expect.poll(() => requests[0]?.waitsFor).toBe("server");
    const first = requests[0]?.progress;
    await pause(20);
    expect(requests[0]?.progress).toBe(first);
    requests[0]?.respond(200, {}, "done");
    expect(requests[0]?.progress).not.toBe(first);
    expect(await response).toMatchObject({ status: 200 });
  });
});

test("reports the version of an HTTP/1.0 request", async () => {
  const connection = { peer: PEER, codings: [], onError: throwError };
  const respond = (given: NodeRequest) => given.respond(200, {}, given.httpVersion);
  const server = await listen(http.createServer((...given) => respond(new Http1Request(...given, connection))));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const socket = connect(server.port, "127.0.0.1");
  socket.write("GET / HTTP/1.0\r\n\r\n");
  expect(await readText(socket)).toMatch(/\r\n\r\n1\.0$/);
});
