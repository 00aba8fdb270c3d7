import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HttpLimits } from "../config/http-limits.js";
import type { RefusalReason } from "../errors/http-errors.js";
import type { TestRequestOptions } from "../testing/http-client.js";
import { HTTP_VERSIONS, SEND_REQUEST } from "../testing/http-request.js";
import { readAll } from "../testing/raw-connection.js";
import { receiveBody } from "../testing/receive-body.js";
import { createHttpServer, type HttpServer } from "./http-server.js";
import type { RequestHandler } from "./request-handler.js";

const STATUS: Readonly<Partial<Record<RefusalReason, number>>> = {
  HOST_MALFORMED: 400,
  PATH_MALFORMED: 400,
  REQUEST_MALFORMED: 400,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  EXPECTATION_UNSUPPORTED: 417,
  HEADERS_TOO_LARGE: 431,
  OVERLOADED: 503,
};

interface Started {
  readonly port: number;
  readonly server: HttpServer;
  /** The status passed to `onEnd`, for every given. */
  readonly ends: (number | undefined)[];
  readonly refusals: RefusalReason[];
}

async function start(
  handle: (given: NodeRequest) => void,
  limits: Partial<HttpLimits> = {},
  overrides: Partial<RequestHandler> = {},
): Promise<Started> {
  const ends: (number | undefined)[] = [];
  const refusals: RefusalReason[] = [];
  const observed = new WeakSet<NodeRequest>();
  const observe = (given: NodeRequest) => {
    if (observed.has(given)) return;
    observed.add(given);
    given.addHeader("x-added", "1");
    given.onEnd((status) => ends.push(status));
  };
  const server = createHttpServer(
    {
      handle(given) {
        observe(given);
        handle(given);
      },
      refuse(given, reason) {
        observe(given);
        refusals.push(reason);
        given.respond(STATUS[reason] ?? 500, { "content-type": "text/plain" }, reason);
      },
      fail: (given) => given.respond(500, {}),
      ...overrides,
    },
    { limits: { requestTimeoutMs: 500, ...limits } },
  );
  const port = await server.listen(0, "127.0.0.1");
  onTestFinished(() => server.close());
  return { port, server, ends, refusals };
}

/** Sends bytes over a new connection, and returns the received bytes when the server closes it. */
function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes, "latin1");
  return readAll(socket);
}

async function* pieces(...texts: readonly string[]): AsyncIterable<string> {
  for (const text of texts) {
    await pause(1);
    yield text;
  }
}

function throwError(): never {
  throw new Error("thrown by a test");
}

describe.each(HTTP_VERSIONS)("%s", (version) => {
  const send = SEND_REQUEST[version];
  const roundTrip = async (handle: (given: NodeRequest) => void, options: TestRequestOptions = {}) => {
    const started = await start(handle);
    return { ...started, ...(await send(started.port, options).readResponse()) };
  };

  test("provides the head of a request", async () => {
    let seen: object = {};
    await roundTrip(
      (given) => {
        const { httpVersion, method, target, hasBody, peer } = given;
        seen = { httpVersion, method, target, host: given.header("host"), own: given.header("x-own"), hasBody };
        const names = Array.from(given.headerEntries(), ([name]) => name);
        expect(names.filter((name) => name.startsWith(":"))).toEqual([]);
        expect(names.filter((name) => name === "host")).toEqual(["host"]);
        expect(given.isRepeated("x-own")).toBe(false);
        expect(peer).toMatchObject({ address: "127.0.0.1", isEncrypted: false, certificateName: undefined });
        expect(peer.port).toBeGreaterThan(0);
        given.respond(204, {});
      },
      { method: "DELETE", path: "/a%2F?b=c", headers: { "x-own": "1" } },
    );
    const host = expect.stringMatching(/^(127\.0\.0\.1|localhost):\d+$/);
    expect(seen).toEqual({
      httpVersion: version === "HTTP/1.1" ? "1.1" : "2.0",
      method: "DELETE",
      target: "/a%2F?b=c",
      host,
      own: "1",
      hasBody: false,
    });
  });

  test.each([undefined, "text", "é", Buffer.from("bytes"), "x".repeat(100_000)])("sends a response", async (body) => {
    const response = await roundTrip((given) => given.respond(201, { link: ["<1>", "<2>"], "x-a": "b" }, body));
    const text = body?.toString() ?? "";
    expect(response).toMatchObject({ status: 201, body: text, refusals: [] });
    expect(response.headers).toMatchObject({ "x-a": "b", "x-added": "1", link: "<1>, <2>" });
    // Over HTTP/2, the headers end a response without a body.
    const hasLength = version === "HTTP/1.1" || body !== undefined;
    expect(response.headers["content-length"]).toBe(hasLength ? String(Buffer.byteLength(text)) : undefined);
    expect(Math.abs(Date.parse(response.headers.date ?? "") - Date.now())).toBeLessThan(5000);
    await expect.poll(() => response.ends).toEqual([201]);
  });

  test("sends only the first response, and is over then", async () => {
    const response = await roundTrip((given) => {
      expect([given.hasResponded, given.isOver]).toEqual([false, false]);
      given.respond(200, {}, "first");
      expect([given.hasResponded, given.isOver]).toEqual([true, true]);
      given.respond(500, {}, "second");
      given.onGone(() => expect.unreachable());
    });
    expect(response).toMatchObject({ status: 200, body: "first" });
    await pause(20);
    expect(response.ends).toEqual([200]);
  });

  test("sends several responses with the same frozen headers", async () => {
    const headers = Object.freeze({ "x-frozen": "1", "content-type": "text/plain" });
    const trailers = Object.freeze({ "x-end": "2" });
    const { port } = await start((given) => given.respond(Number(given.target.slice(1)), headers, "text", trailers));
    for (const status of [200, 404, 200]) {
      const response = await send(port, { path: `/${status}` }).readResponse();
      expect(response).toMatchObject({
        status,
        headers: { "x-frozen": "1" },
        body: "text",
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
      expect(response).toMatchObject({ status, body: "" });
      expect(response.headers["content-length"]).toBe(length);
      await expect.poll(() => response.ends).toEqual([status]);
    }
  });

  test("sends no length with HEAD if that of the body is unknown", async () => {
    const response = await roundTrip((given) => void given.stream(200, {}, pieces("content")), { method: "HEAD" });
    expect(response).toMatchObject({ status: 200, body: "" });
    expect(response.headers).not.toHaveProperty("content-length");
  });

  test("streams a body with trailers", async () => {
    const response = await roundTrip((given) => {
      void given.stream(200, { "x-a": "b" }, pieces("a", "", "bc"), () => ({ "x-end": "1" }));
    });
    expect(response).toMatchObject({ status: 200, headers: { "x-a": "b", "x-added": "1" }, body: "abc" });
    expect(response.trailers).toMatchObject({ "x-end": "1" });
    await expect.poll(() => response.ends).toEqual([200]);
  });

  test("requests no more pieces of a streamed body than the client reads", async () => {
    let asked = 0;
    const piece = Buffer.alloc(64 * 1024, "a");
    async function* body() {
      for (; asked < 1000; asked++) yield piece;
    }
    const { port, ends } = await start((given) => void given.stream(200, {}, body()));
    const { body: unread } = await send(port).response;
    unread.pause();
    await pause(300);
    expect(asked).toBeLessThan(900);
    let size = 0;
    for await (const chunk of unread) size += chunk.length;
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
    const { port, ends } = await start(async (given) => {
      await given.stream(200, {}, endless());
      isResolved = true;
    });
    const request = send(port);
    const { body } = await request.response;
    await once(body, "data");
    request.destroy();
    await expect.poll(() => [isEnded, isResolved, ends]).toEqual([true, true, [undefined]]);
  });

  test.each(["a\r\nb", "\u010a", "\0"])("throws for the header value %j, and sends nothing", async (value) => {
    const response = await roundTrip((given) => {
      expect(() => given.respond(200, { "x-a": value }, "no")).toThrow(TypeError);
      expect(given.hasResponded).toBe(false);
      given.respond(500, { "x-b": "c" }, "failed");
    });
    expect(response).toMatchObject({ status: 500, body: "failed" });
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
    expect(response.body).toBe(body.toString());
    expect(received).toBe(size);
  });

  test("reads a body piece by piece", async () => {
    const { port } = await start(async (given) => {
      given.respond(200, {}, await receiveBody(given));
    });
    const request = send(port, { method: "POST", body: "open" });
    for (const piece of ["a", "b", "c"]) {
      request.body.write(piece);
      await pause(5);
    }
    request.body.end("d".repeat(200_000));
    expect((await request.readResponse()).body).toBe(`abc${"d".repeat(200_000)}`);
  });

  test.each([100, 200_000])("responds while a body of %i bytes is still arriving", async (size) => {
    const { port, ends } = await start((given) => {
      given.receive({ onData: () => given.respond(413, {}, "too large"), onEnd() {}, onAbort() {} });
    });
    for (const body of [Buffer.alloc(size), "open"] as const) {
      const request = send(port, { method: "POST", body });
      if (body === "open") request.body.write(Buffer.alloc(size));
      expect(await request.response).toMatchObject({ status: 413 });
      request.destroy();
    }
    await expect.poll(() => ends).toEqual([413, 413]);
  });

  test("reports that the client disconnected", async () => {
    let gone = 0;
    let request: NodeRequest | undefined;
    const { port, ends } = await start((given) => {
      request = given;
      given.onGone(() => expect.unreachable())();
      given.onGone(() => gone++);
    });
    const sent = send(port);
    await expect.poll(() => request).toBeDefined();
    sent.destroy();
    await expect.poll(() => [gone, ends]).toEqual([1, [undefined]]);
    request?.respond(200, {}, "too late");
    request?.onGone(() => gone++);
    expect([gone, ends, request?.isOver]).toEqual([2, [undefined], true]);
  });

  test("reports to the reader of a body that the client disconnected", async () => {
    const failures: unknown[] = [];
    const { port, ends } = await start((given) => {
      receiveBody(given).catch((error) => failures.push(error));
    });
    const request = send(port, { method: "POST", body: "open", headers: { "content-length": "500000" } });
    request.body.write("begun");
    await pause(150);
    request.destroy();
    await expect.poll(() => ends).toEqual([undefined]);
    expect(failures).toEqual([new Error("the client disconnected")]);
  });

  test("aborts before a response", async () => {
    let gone = 0;
    const { port, ends } = await start((given) => {
      given.onGone(() => gone++);
      given.abort();
    });
    await expect(send(port).readResponse()).rejects.toThrow();
    await expect.poll(() => [gone, ends]).toEqual([1, [undefined]]);
  });

  test("aborts during a response", async () => {
    async function* endless() {
      for (;;) {
        yield "more";
        await pause(1);
      }
    }
    const { port, ends } = await start(async (given) => {
      setTimeout(() => given.abort(), 50);
      await given.stream(200, {}, endless());
    });
    const request = send(port);
    expect(await request.response).toMatchObject({ status: 200 });
    await expect(request.readResponse()).rejects.toThrow();
    await expect.poll(() => ends).toEqual([undefined]);
  });

  test("sends 100 (Continue) when the body is read, and not otherwise", async () => {
    const { port } = await start(async (given) => {
      if (given.target === "/read") given.respond(200, {}, await receiveBody(given));
      else given.respond(403, {}, "refused");
    });
    const headers = { expect: "100-continue", "content-length": "4" };
    const read = send(port, { method: "POST", path: "/read", headers, body: "open" });
    await expect.poll(() => read.isContinued()).toBe(true);
    read.body.end("body");
    expect(await read.readResponse()).toMatchObject({ status: 200, body: "body" });
    const refused = send(port, { method: "POST", path: "/refused", headers, body: "open" });
    expect(await refused.response).toMatchObject({ status: 403 });
    expect(refused.isContinued()).toBe(false);
    refused.destroy();
  });

  test("refuses an unknown expectation", async () => {
    const { port, refusals, ends } = await start(() => expect.unreachable());
    const options = { method: "POST", headers: { expect: "more" }, body: "" };
    const { status, headers, body } = await send(port, options).readResponse();
    expect([status, headers["x-added"], body]).toEqual([417, "1", "EXPECTATION_UNSUPPORTED"]);
    expect(refusals).toEqual(["EXPECTATION_UNSUPPORTED"]);
    await expect.poll(() => ends).toEqual([417]);
  });

  test("refuses a malformed host", async () => {
    const { port, refusals } = await start(() => expect.unreachable());
    const name = version === "HTTP/1.1" ? "host" : ":authority";
    const { status, headers } = await send(port, { headers: { [name]: "[::1" } }).readResponse();
    expect([status, headers["x-added"], refusals]).toEqual([400, "1", ["HOST_MALFORMED"]]);
  });

  test("aborts a request that does not finish within requestTimeoutMs of close", async () => {
    const requests: NodeRequest[] = [];
    const { port, server, ends } = await start((given) => requests.push(given), {
      requestTimeoutMs: 200,
    });
    const request = send(port);
    await expect.poll(() => requests).toHaveLength(1);
    await server.close();
    await expect(request.readResponse()).rejects.toThrow();
    await expect.poll(() => ends).toEqual([undefined]);
  });

  test("fails a request if the observer of its complete body throws", async () => {
    const read = (given: NodeRequest) => given.receive({ onData() {}, onEnd() {}, onAbort() {} });
    const { port } = await start(read, {}, { completeBody: throwError });
    expect(await send(port, { method: "POST", body: "body" }).readResponse()).toMatchObject({ status: 500 });
  });

  test("sends a response although its observer throws", async () => {
    const { port, ends } = await start((given) => given.respond(200, {}, "done"), {}, { complete: throwError });
    expect(await send(port).readResponse()).toMatchObject({ status: 200, body: "done" });
    await expect.poll(() => ends).toEqual([200]);
  });

  test("resets a request whose failure handler throws, and serves the next", async () => {
    const { port } = await start(throwError, {}, { fail: throwError });
    for (let turn = 0; turn < 2; turn++) await expect(send(port).readResponse()).rejects.toThrow();
  });

  test("has progress with each part of the body and the response", async () => {
    const requests: NodeRequest[] = [];
    const { port } = await start((given) => requests.push(given));
    send(port);
    await expect.poll(() => requests[0]?.waitsFor).toBe("server");
    const first = requests[0]?.progress;
    await pause(20);
    expect(requests[0]?.progress).toBe(first);
    requests[0]?.respond(200, {}, "done");
    expect(requests[0]?.progress).not.toBe(first);
  });
});

describe("HTTP/1.1", () => {
  const get = (target: string, fields = "") => `GET ${target} HTTP/1.1\r\nhost: a\r\n${fields}\r\n`;

  test("handles pipelined requests one at a time, in order", async () => {
    let [inProgress, maxInProgress] = [0, 0];
    const { port } = await start(async (given) => {
      maxInProgress = Math.max(maxInProgress, ++inProgress);
      await pause(given.target === "/1" ? 30 : 1);
      inProgress--;
      given.respond(200, {}, `answer to ${given.target};`);
    });
    const text = await sendRaw(port, get("/1") + get("/2") + get("/3", "connection: close\r\n"));
    expect(text.match(/answer to [^;]+/g)).toEqual(["answer to /1", "answer to /2", "answer to /3"]);
    expect(maxInProgress).toBe(1);
  });

  test.each<[what: string, bytes: string, reason: RefusalReason]>([
    ["a request that is not HTTP", "what?\r\n\r\n", "REQUEST_MALFORMED"],
    ["headers that are too large", get("/", `x-a: ${"a".repeat(20_000)}\r\n`), "HEADERS_TOO_LARGE"],
    ["two hosts", get("/", "host: b\r\nconnection: close\r\n"), "HOST_MALFORMED"],
    ["no host", "GET / HTTP/1.1\r\nconnection: close\r\n\r\n", "HOST_MALFORMED"],
    ["another scheme", "GET ftp://a/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", "PATH_MALFORMED"],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nhost: a:80\r\n\r\n", "METHOD_NOT_ALLOWED"],
  ])("refuses %s", async (_, bytes, reason) => {
    const { port, refusals, ends } = await start(() => expect.unreachable());
    const text = await sendRaw(port, bytes);
    expect(text.startsWith(`HTTP/1.1 ${STATUS[reason]} `)).toBe(true);
    expect(text).toContain("\r\nx-added: 1\r\n");
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(text.endsWith(reason)).toBe(true);
    await expect.poll(() => [refusals, ends]).toEqual([[reason], [STATUS[reason]]]);
  });

  test("rewrites an absolute target to origin form", async () => {
    const seen: unknown[] = [];
    const { port } = await start((given) => {
      seen.push(given.target, given.header("host"));
      given.respond(200, {});
    });
    await sendRaw(port, "GET http://b:80/x?y HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    expect(seen).toEqual(["/x?y", "b:80"]);
  });

  test("serves an HTTP/1.0 request", async () => {
    const { port } = await start((given) => given.respond(200, {}, given.httpVersion));
    expect(await sendRaw(port, "GET / HTTP/1.0\r\n\r\n")).toMatch(/\r\n\r\n1\.0$/);
  });
});
