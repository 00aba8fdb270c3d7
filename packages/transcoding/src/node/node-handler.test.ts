import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { type ConnectRouter, createClient, createContextKey, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter, createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, onTestFinished, test } from "vitest";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import type { HttpHandler } from "../http/http-handler.js";
import { createRpcHandler } from "../rpc/rpc-handler.js";
import { createLibrary, type LibraryMethods, recordCalls } from "../testing/library.js";
import { listen as startServer } from "../testing/listen.js";
import { createTranscoder } from "../transcoder/transcoder.js";
import {
  createNodeHandler,
  createNodeStreamHandler,
  type NodeHandler,
  type NodeHandlerOptions,
  type NodeStreamHandler,
} from "./node-handler.js";
import type { NodeRequest } from "./node-request.js";

const METHODS: LibraryMethods = {
  getShelf: ({ name }) => ({ name }),
  getFile: ({ path }) => ({ contentType: "text/plain", data: new TextEncoder().encode(path) }),
  createShelf: ({ shelf }) => ({ theme: shelf?.theme ?? "" }),
};

type LibraryOptions = Parameters<typeof createLibrary>[1];

/** Serves the library API over HTTP/1.1 until the test ends, and returns the port. */
function listen(methods = METHODS, options: LibraryOptions = {}): Promise<number> {
  return listenHttp1(createNodeHandler(createLibrary(methods, options)));
}

async function listenHttp1(listener: NodeHandler): Promise<number> {
  const server = await startServer(http.createServer(listener));
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.port;
}

/** Serves the library API over HTTP/2 until the test ends, and returns the session of a client. */
async function openHttp2(methods = METHODS, options: LibraryOptions = {}): Promise<http2.ClientHttp2Session> {
  const listener = createNodeStreamHandler(createLibrary(methods, options));
  const server = await startServer(
    http2.createServer({ strictFieldWhitespaceValidation: false }).on("stream", listener),
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  return http2.connect(server.url);
}

/** Sends text unchanged over a new connection. Returns all text that the server sends until it closes the connection. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(text, "latin1");
  return readText(socket);
}

async function statusAndBody(port: number, target: string, method = "GET"): Promise<string> {
  const received = await exchange(port, `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const [head = "", body = ""] = received.split("\r\n\r\n");
  return `${head.split(" ")[1]} ${body}`;
}

test.each([
  ["rule 2: an escaped slash splits no segment", "/v1/files/a%2Fb/c", "200 a%2Fb/c"],
  ["rule 2: dots are ordinary segments", "/v1/files/a/../b/./c", "200 a/../b/./c"],
  ["rule 2: an encoded percent sign is decoded once", "/v1/files/%2541", "200 %41"],
  ["rule 2: empty segments stay", "/v1/files/a//b", "200 a//b"],
  ["the absolute form of a target (RFC 9112 section 3.2.2)", "http://example.com/v1/files/a", "200 a"],
  ["the absolute form with a query", "http://example.com:80/v1/files/a?", "200 a"],
])("%s", async (_, target, expected) => {
  expect(await statusAndBody(await listen(), target)).toBe(expected);
});

test.each([
  ["/v1/files/a#b", 400],
  ["/v1/files/é", 400],
  ["/v1/files/a?x=é", 400],
  ["http://example.com", 404],
  ["//v1/files/a", 404],
  ["/", 404],
])("answers the target %s with %i and JSON", async (target, status) => {
  const answer = await statusAndBody(await listen(), target);
  if (answer === "400 ") return; // Node's parser rejects it first.
  expect(answer.slice(0, 3)).toBe(String(status));
  expect(JSON.parse(answer.slice(4)).error.code).toBe(status);
});

test("answers OPTIONS * for the whole server (RFC 9110 section 9.3.7)", async () => {
  expect(await statusAndBody(await listen(), "*", "OPTIONS")).toBe("204 ");
});

test("rule 15: does not forward headers that Connection names", async () => {
  const { calls, method } = recordCalls();
  const port = await listen({ getShelf: method });
  const lines = [
    "GET /v1/shelves/7 HTTP/1.1",
    "Host: a",
    "Connection: close, X-Hop",
    "X-Hop: 1",
    "X-End: 2",
    "TE: trailers",
  ];
  await exchange(port, `${lines.join("\r\n")}\r\n\r\n`);
  expect(Object.fromEntries(calls[0]?.context.requestHeader ?? [])).toEqual({ host: "a", "x-end": "2" });
});

test("rule 15: sends trailers as headers over HTTP/1.0, which has no trailers", async () => {
  const port = await listen({
    getShelf: ({ name }, { responseTrailer }) => {
      responseTrailer.set("x-cost", "3");
      return { name };
    },
  });
  const received = await exchange(port, "GET /v1/shelves/7 HTTP/1.0\r\nTE: trailers\r\n\r\n");
  expect(received).toContain(" 200 OK\r\n");
  expect(received).toContain("\r\nx-cost: 3\r\n");
  expect(received).toContain('{"name":"shelves/7"}');
});

describe("rule 23: rejects a duplicate header of a field, like a duplicate query parameter", () => {
  const violation = { field: "request_id", description: "is given twice: send one line of the header Idempotency-Key" };

  test.each(["1", ""])("over HTTP/1.1: %j", async (second) => {
    const head = `POST /v1/shelves HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2`;
    const received = await exchange(
      await listen(),
      `${head}\r\nIdempotency-Key: 1\r\nidempotency-key: ${second}\r\n\r\n{}`,
    );
    const [, body = ""] = received.split("\r\n\r\n");
    expect(JSON.parse(body).error.details[0].fieldViolations).toEqual([violation]);
  });

  test("over HTTP/2", async () => {
    const session = await openHttp2();
    const head = { ":method": "POST", ":path": "/v1/shelves", "idempotency-key": ["1", "2"] };
    const stream = session.request(head);
    stream.end("{}");
    expect(JSON.parse(await readText(stream)).error.details[0].fieldViolations).toEqual([violation]);
  });

  test("reads one line with a comma as one value", async () => {
    const { calls, method } = recordCalls();
    const port = await listen({ createShelf: method });
    const head =
      "POST /v1/shelves HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\nIdempotency-Key: a, b";
    await exchange(port, `${head}\r\n\r\n{}`);
    expect(calls).toMatchObject([{ request: { requestId: "a, b" } }]);
  });
});

test("rule 15: passes the authority as Host over HTTP/2", async () => {
  const { calls, method } = recordCalls();
  const session = await openHttp2({ getShelf: method });
  await once(session.request({ ":path": "/v1/shelves/7?", ":authority": "example.com" }).resume(), "end");
  expect(calls).toMatchObject([{ context: { url: "http://example.com/v1/shelves/7?" } }]);
  expect(calls[0]?.context.requestHeader.get("host")).toBe("example.com");
});

test.each([
  ["Content-Length: 100000000", `{"theme":"${"x".repeat(100_000)}`],
  ["Transfer-Encoding: chunked", `186a0\r\n${"x".repeat(100_000)}\r\n`],
])(
  "rule 11: returns 413 while the client is still sending with %s, and closes the connection",
  async (header, body) => {
    const port = await listen(METHODS, { readMaxBytes: 1000 });
    // The client never sends the rest of the body.
    const received = await exchange(port, `POST /v1/shelves HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`);
    expect(received).toMatch(/^HTTP\/1.1 413 .*connection: close\r\n/is);
    expect(received).toContain('"BODY_TOO_LARGE"');
  },
);

test("keeps the connection open after rejecting a small body", async () => {
  const port = await listen();
  const first = "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
  const second = "GET /v1/files/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  const received = await exchange(port, first + second);
  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 404", "HTTP/1.1 200"]);
});

test("answers pipelined requests in order", async () => {
  const port = await listen({
    getShelf: async ({ name }) => {
      await setTimeout(name === "shelves/0" ? 30 : 0);
      return { name };
    },
  });
  const request = (id: number, more = "") => `GET /v1/shelves/${id} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
  const received = await exchange(port, request(0) + request(1) + request(2, "Connection: close\r\n"));
  expect(received.match(/shelves\/\d/g)).toEqual(["shelves/0", "shelves/1", "shelves/2"]);
});

test("rule 11: returns 413 over HTTP/2 while the client is still sending, and resets the stream", async () => {
  const session = await openHttp2(METHODS, { readMaxBytes: 1000 });
  const stream = session.request({ ":method": "POST", ":path": "/v1/shelves" });
  stream.write("x".repeat(10_000));
  const [headers] = await once(stream, "response");
  expect(headers[":status"]).toBe(413);
  stream.resume();
  await once(stream, "close");
  expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
});

test.each(["/nothing", "/v1/shelves"])(
  "closes the HTTP/2 stream of an unread body sent to %s, so that the server can stop",
  async (path) => {
    const handler = createNodeStreamHandler(createLibrary(METHODS, { readMaxBytes: 1000 }));
    const server = http2.createServer().on("stream", handler);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const stream = session.request({ ":method": "POST", ":path": path });
    stream.end("x".repeat(1_000_000));
    await once(stream, "response");
    await once(stream.resume(), "close");
    session.close();
    server.close();
    await once(server, "close");
  },
);

test.each([http2.constants.NGHTTP2_NO_ERROR, http2.constants.NGHTTP2_CANCEL])(
  "rule 19: ends the handler's iteration if a waiting HTTP/2 stream is reset with code %i",
  async (code) => {
    const { promise: returned, resolve } = Promise.withResolvers<void>();
    const session = await openHttp2({
      async *downloadFile() {
        try {
          for (;;) yield { data: new Uint8Array(100_000) };
        } finally {
          resolve();
        }
      },
    });
    const stream = session.request({ ":path": "/v1/files/a:download" });
    await once(stream, "response");
    stream.close(code);
    await returned;
  },
);

describe("rule 19: a stream of HttpBody that fails", () => {
  const failingAfter = (bytes: number): LibraryMethods => ({
    async *downloadFile() {
      yield { contentType: "image/png", data: new Uint8Array(bytes).fill(120) };
      throw new Error("disk");
    },
  });
  // The largest body exceeds the buffers of a socket.
  const SIZES = [0, 2, 4_000_000];

  test.each(SIZES)(
    "sends its status and the %i bytes before the failure over HTTP/1.1, and is cut short",
    async (size) => {
      const port = await listen(failingAfter(size));
      const received = await exchange(port, "GET /v1/files/a:download HTTP/1.1\r\nHost: a\r\n\r\n");
      expect(received).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: image\/png\r\n/);
      const [, body = ""] = received.split("\r\n\r\n");
      expect(body.replace(/[^x]/g, "")).toHaveLength(size);
      expect(received.endsWith("0\r\n\r\n")).toBe(false);
    },
  );

  test("sends both responses if it is pipelined", async () => {
    const port = await listen({
      getShelf: async ({ name }) => {
        await setTimeout(30);
        return { name };
      },
      async *downloadFile() {
        yield { data: new Uint8Array([120]) };
        throw new Error("disk");
      },
    });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const received = await exchange(port, get("/v1/shelves/7") + get("/v1/files/a:download"));
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    expect(received.endsWith("1\r\nx\r\n")).toBe(true);
  });

  test.each(SIZES)("sends its status and the %i bytes before the failure over HTTP/2, and is reset", async (size) => {
    const session = await openHttp2(failingAfter(size));
    const stream = session.request({ ":path": "/v1/files/a:download" });
    let received = 0;
    stream.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    stream.on("error", () => {});
    const [headers] = await once(stream, "response");
    await new Promise((resolve) => stream.once("close", resolve));
    expect(headers).toMatchObject({ ":status": 200, "content-type": "image/png" });
    expect([received, stream.rstCode]).toEqual([size, http2.constants.NGHTTP2_INTERNAL_ERROR]);
  });
});

test("rule 14: does not call the handler for a body that ends after the deadline", async () => {
  const { calls, method } = recordCalls();
  const port = await listen({ createShelf: method });
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write("POST /v1/shelves HTTP/1.1\r\nHost: a\r\nX-Server-Timeout: 0.05\r\nContent-Length: 2\r\n\r\n");
  const [received] = await once(socket, "data");
  expect(received).toMatch(/^HTTP\/1.1 504 /);
  socket.write("{}GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n");
  const [next] = await once(socket, "data");
  expect(next).toMatch(/^HTTP\/1.1 404 /);
  expect(calls).toEqual([]);
  socket.destroy();
});

test("does not call the handler for an incomplete body", async () => {
  const { calls, method } = recordCalls();
  const port = await listen({ createShelf: method });
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /v1/shelves HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{}");
  await setTimeout(20);
  socket.destroy();
  await setTimeout(50);
  expect(calls).toEqual([]);
});

test("reports a body that other middleware has read", async () => {
  const handler = createNodeHandler(createLibrary(METHODS));
  const port = await listenHttp1((request, response) => {
    request.resume().once("end", () => handler(request, response));
  });
  const answer = await fetch(`http://127.0.0.1:${port}/v1/shelves`, { method: "POST", body: Buffer.from("{}") });
  expect(await answer.json()).toMatchObject({
    error: {
      code: 500,
      message: "the request body has already been read: serve the transcoder before any middleware that reads bodies",
    },
  });
});

test("creates context values from the request, like connectNodeAdapter", async () => {
  const key = createContextKey("");
  const library = createLibrary({ getShelf: (_, { values }) => ({ name: values.get(key) }) });
  const contextValues = (request: NodeRequest) => createContextValues().set(key, String(request.header("x-key")));
  const port = await listenHttp1(createNodeHandler(library, { contextValues }));
  const response = await fetch(`http://127.0.0.1:${port}/v1/shelves/7`, { headers: { "x-key": "value" } });
  expect(await response.text()).toBe('{"name":"value"}');
});

test("serves JSON paths and Connect on one port, before or after Connect's adapter", async () => {
  const routes = (router: ConnectRouter) => router.service(LibraryService, METHODS);
  const json = createNodeHandler(createTranscoder({ routes }));
  const connect = connectNodeAdapter({ routes });
  for (const handler of [
    connectNodeAdapter({
      routes,
      fallback: (request, response) => json(request as http.IncomingMessage, response as http.ServerResponse),
    }),
    createNodeHandler(createTranscoder({ routes }), { fallback: connect }),
  ]) {
    const baseUrl = `http://127.0.0.1:${await listenHttp1(handler)}`;
    const client = createClient(LibraryService, createConnectTransport({ baseUrl, httpVersion: "1.1" }));
    expect((await client.getShelf({ name: "shelves/7" })).name).toBe("shelves/7");
    expect(await (await fetch(`${baseUrl}/v1/shelves/7`)).json()).toEqual({ name: "shelves/7" });
  }
});

test("passes only requests that match no path to the fallback", async () => {
  const fallback: NodeHandler = (_, response) => void response.writeHead(418).end();
  const port = await listenHttp1(createNodeHandler(createLibrary(METHODS), { fallback }));
  const statusOf = async (path: string, method = "GET") =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
  expect(await statusOf("/healthz", "POST")).toBe(418);
  expect(await statusOf("/v1/shelves/7")).toBe(200);
  expect(await statusOf("/v1/shelves/7", "PATCH")).toBe(405);
});

describe.each(["HTTP/1.1", "HTTP/2"] as const)("a handler in front of another over %s", (version) => {
  /** Serves handlers, each as the fallback of the previous one. Returns a function that sends a request and returns the status and the body. */
  async function serve(...handlers: readonly [HttpHandler, NodeHandlerOptions][]) {
    let listener: NodeHandler | undefined;
    let streamListener: NodeStreamHandler | undefined;
    for (const [handler, options] of handlers.toReversed()) {
      listener = createNodeHandler(handler, { ...options, ...(listener && { fallback: listener }) });
      const fallback = streamListener && { fallback: streamListener };
      streamListener = createNodeStreamHandler(handler, { ...options, fallback: undefined, ...fallback } as object);
    }
    const server = await startServer(
      version === "HTTP/1.1"
        ? http.createServer(listener as NodeHandler)
        : http2.createServer().on("stream", streamListener as NodeStreamHandler),
    );
    onTestFinished(() => server[Symbol.asyncDispose]());
    return async (path: string, body?: string): Promise<[status: unknown, text: string]> => {
      if (version === "HTTP/1.1") {
        const headers = { "content-type": "application/json" };
        const response = await fetch(server.url + path, body === undefined ? {} : { method: "POST", headers, body });
        return [response.status, await response.text()];
      }
      const session = http2.connect(server.url);
      const stream = session.request({ ":path": path, ":method": body === undefined ? "GET" : "POST" });
      stream.end(body);
      const [head] = await once(stream, "response");
      const text = await readText(stream);
      session.close();
      return [head[":status"], text];
    };
  }

  const routes = (router: ConnectRouter) => router.service(LibraryService, METHODS);
  const rpcs = createRpcHandler({ routes });
  const json = createTranscoder({ routes });

  test("passes on requests for other paths untouched, and only the handler that serves a request observes its end", async () => {
    const ends: [name: string, status: number | undefined][] = [];
    const observe = (name: string): NodeHandlerOptions => ({
      contextValues(request) {
        request.onEnd((status) => ends.push([name, status]));
        return createContextValues();
      },
    });
    const send = await serve([rpcs, observe("rpcs")], [json, observe("json")]);
    expect(await send("/v1/shelves/7")).toEqual([200, '{"name":"shelves/7"}']);
    expect(await send("/v1/shelves", '{"theme":"sea"}')).toEqual([201, '{"theme":"sea"}']);
    expect(await send("/library.v1.LibraryService/GetShelf?encoding=none")).toEqual([415, expect.any(String)]);
    expect(await send("/nothing")).toEqual([404, expect.any(String)]);
    await expect.poll(() => ends).toHaveLength(4);
    const expected = [
      ["json", 200],
      ["json", 201],
      ["rpcs", 415],
      ["json", 404],
    ];
    expect(ends).toEqual(expected);
  });

  test("lets each handler use its own context values and content codings", async () => {
    const key = createContextKey("none");
    const library = createLibrary({
      getShelf: (_, { values }) => ({ name: values.get(key), theme: "x".repeat(2000) }),
    });
    const contextValues = () => createContextValues().set(key, "rpcs");
    const send = await serve([rpcs, { contextValues }], [library, { codings: [] }]);
    const [status, text] = await send("/v1/shelves/7");
    expect([status, JSON.parse(text).name]).toEqual([200, "none"]);
  });
});

describe("a listener for the other version of HTTP throws", () => {
  test("if a server of node:http2 passes a request to a listener for node:http", async () => {
    const listener = createNodeHandler(createLibrary(METHODS));
    const { promise: thrown, resolve } = Promise.withResolvers<unknown>();
    const server = http2.createServer((request, response) => {
      try {
        listener(request as never, response as never);
      } catch (error) {
        resolve(error);
        response.stream.close();
      }
    });
    const { url, [Symbol.asyncDispose]: close } = await startServer(server);
    onTestFinished(() => close());
    const session = http2.connect(url);
    const stream = session.request({ ":method": "POST", ":path": "/v1/shelves" });
    stream.on("error", () => {}).end('{"theme":"sea"}');
    expect(await thrown).toMatchObject({
      name: "TypeError",
      message: expect.stringContaining("createNodeStreamHandler"),
    });
  });

  test("if a server of node:http passes a request to a listener for streams", async () => {
    const listener = createNodeStreamHandler(createLibrary(METHODS));
    const thrown: unknown[] = [];
    const port = await listenHttp1((request, response) => {
      try {
        listener(request as never, request.headers as never, 0, request.rawHeaders);
      } catch (error) {
        thrown.push(error);
      }
      response.end();
    });
    await fetch(`http://127.0.0.1:${port}/v1/shelves/7`);
    expect(thrown).toMatchObject([{ name: "TypeError", message: expect.stringContaining("createNodeHandler") }]);
  });
});

test("rejects a request line with another version of HTTP, which Node's parser accepts", async () => {
  const socket = connect(await listen(), "127.0.0.1");
  socket.write("GET /v1/shelves/7 HTTP/2.0\r\nhost: localhost\r\n\r\n");
  expect(await readText(socket)).toMatch(/^HTTP\/1\.1 505 .*\r\nconnection: close\r\n/s);
});
