import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { createPeer } from "../peer.js";
import { Http1Connection } from "./http1-connection.js";
import type { Http1Exchange } from "./http1-exchange.js";

type Handler = (exchange: Http1Exchange) => void;

const MAX_HEAD_BYTES = 4096;

/** A request as parsed by a server. */
interface ParsedRequest {
  readonly by: "own" | "node";
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: object;
  readonly body: string;
}

/** The body of the responses: the request as JSON. */
const echo = (request: ParsedRequest) => JSON.stringify(request);

const echoOwn: Handler = (exchange) => {
  const { method, target: url, headers, body } = exchange;
  exchange.respond(200, {}, echo({ by: "own", method, url, headers, body: body.toString("latin1") }));
};

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("latin1")) body += chunk;
  return body;
}

/** Creates a Node server that echoes requests. */
function createEchoServer(): Server {
  return createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = await readBody(request).catch(() => undefined);
    if (body !== undefined) response.end(echo({ by: "node", method, url, headers, body }));
  });
}

interface Listening {
  readonly port: number;
  readonly connections: readonly Http1Connection[];
}

/** Longer than the duration of any test. */
const NEVER_MS = 2 ** 30;

/** Serves connections, and hands them over to Node's server. */
async function listen(handle: Handler = echoOwn, readTimeoutMs = NEVER_MS): Promise<Listening> {
  const nodeServer = createEchoServer();
  const [serve] = nodeServer.listeners("connection");
  const connections: Http1Connection[] = [];
  nodeServer.removeAllListeners("connection").on("connection", (socket: Socket) => {
    const handOver = () => serve?.call(nodeServer, socket);
    const peer = createPeer(socket);
    const options = { handle, handOver, maxHeadBytes: MAX_HEAD_BYTES, readTimeoutMs, peer };
    connections.push(new Http1Connection(socket, options));
    onTestFinished(() => void socket.destroy());
  });
  return { port: await start(nodeServer), connections };
}

async function start(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Starts a Node server that records parsed requests and errors, with or without an `Http1Connection` in front of it. */
async function record(hasOwn: boolean) {
  let requests: object[] = [];
  let refusals: unknown[] = [];
  const nodeServer = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const parsed = { method, url, headers, body: "" };
    requests.push(parsed);
    parsed.body = await readBody(request).catch(() => "");
    response.end();
  });
  nodeServer.on("clientError", ({ code }: NodeJS.ErrnoException, socket) => {
    refusals.push(code);
    socket.destroy();
  });
  if (hasOwn) {
    const [serve] = nodeServer.listeners("connection");
    const handle = (exchange: Http1Exchange) => {
      const { method, target: url, headers, body } = exchange;
      requests.push({ method, url, headers, body: body.toString("latin1") });
      setImmediate(() => exchange.respond(200, {}, ""));
    };
    nodeServer.removeAllListeners("connection").on("connection", (socket: Socket) => {
      new Http1Connection(socket, {
        handle,
        handOver: () => serve?.call(nodeServer, socket),
        maxHeadBytes: MAX_HEAD_BYTES,
        peer: createPeer(socket),
      });
    });
  }
  return {
    port: await start(nodeServer),
    take() {
      const taken = { requests, refusals };
      [requests, refusals] = [[], []];
      return taken;
    },
  };
}

function open(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true }).setEncoding("latin1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Sends pieces one after the other, and returns the received bytes when the server closes the connection. */
async function exchange(port: number, ...pieces: readonly string[]): Promise<string> {
  const socket = open(port);
  let received = "";
  socket.on("data", (text: string) => {
    received += text;
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  for (const piece of pieces) {
    socket.write(piece, "latin1");
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return received;
}

function parseEchoes(received: string): ParsedRequest[] {
  return Array.from(received.matchAll(/\{"by".*?\}(?=HTTP|$)/gs), ([text]) => JSON.parse(text));
}

const GET = "GET /a?b HTTP/1.1\r\nHost: x\r\n";
const CLOSE = "Connection: close\r\n\r\n";

test("sends a response with headers, date and length", async () => {
  const { port } = await listen((request) => {
    request.addHeader("x-own", "1");
    request.respond(201, { location: "/b", link: ["<1>", "<2>"] }, "é");
  });
  const received = await exchange(port, `GET /a HTTP/1.1\r\nHost: x\r\n${CLOSE}`);
  expect(received.replace(/date: .*/, "date: …")).toBe(
    "HTTP/1.1 201 Created\r\nlocation: /b\r\nlink: <1>\r\nlink: <2>\r\nx-own: 1\r\ndate: …\r\ncontent-length: 2\r\n" +
      "connection: close\r\n\r\n\xc3\xa9",
  );
  const date = /date: (.*)\r\n/.exec(received)?.[1] ?? "";
  expect(new Date(date).toUTCString()).toBe(date);
  expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(5000);
});

test("parses a request in the same way as Node's server", async () => {
  const { port } = await listen();
  const text = `PUT /a/%2F?x=1#! HTTP/1.1\r\nHOST:  x:80 \r\nX-Tab:\ta\t b \r\nx-empty:\r\nContent-Length: 3\r\n${CLOSE}\x00\xff\n`;
  const [own] = parseEchoes(await exchange(port, text));
  const [node] = parseEchoes(await exchange(await start(createEchoServer()), text));
  expect(own?.by).toBe("own");
  expect({ ...own, by: "node" }).toEqual(node);
});

test.each(["GET /a HTTP/1.1\r\nHost: x\r\n", "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"])(
  "accepts a request in any pieces: %j",
  async (head) => {
    const { port } = await listen();
    const text = `${head}${CLOSE}${head.startsWith("POST") ? "a\r\n\r\n" : ""}`;
    for (let at = 1; at < text.length; at++) {
      const [request, ...more] = parseEchoes(await exchange(port, text.slice(0, at), text.slice(at)));
      expect(request).toMatchObject({ by: "own", url: "/a", body: head.startsWith("POST") ? "a\r\n\r\n" : "" });
      expect(more).toEqual([]);
    }
  },
);

test.each([
  ["a rare method", `TRACE /a HTTP/1.1\r\nHost: x\r\n${CLOSE}`],
  ["HTTP/1.0", "GET /a HTTP/1.0\r\nHost: x\r\n\r\n"],
  ["another form of the target", `GET http://x/a HTTP/1.1\r\nHost: x\r\n${CLOSE}`],
  ["a target that is not ASCII", `GET /\xe9 HTTP/1.1\r\nHost: x\r\n${CLOSE}`],
  ["more than one space", `GET  /a HTTP/1.1\r\nHost: x\r\n${CLOSE}`],
  ["an empty line before", `\r\n${GET}${CLOSE}`],
  ["lines that end with LF", "GET /a HTTP/1.1\nHost: x\nConnection: close\n\n\r\n\r\n"],
  ["a lone CR", `${GET}X-A: a\rb\r\n${CLOSE}`],
  ["a NUL", `${GET}X-A: a\x00b\r\n${CLOSE}`],
  ["a value that is not ASCII", `${GET}X-A: \xe9\r\n${CLOSE}`],
  ["white space before a colon", `${GET}X-A : a\r\n${CLOSE}`],
  ["a line without a colon", `${GET}X-A\r\n${CLOSE}`],
  ["a folded line", `${GET}X-A: a\r\n b\r\n${CLOSE}`],
  ["a name twice", `${GET}X-A: a\r\nx-a: b\r\n${CLOSE}`],
  ["Content-Length twice", `${GET}Content-Length: 1\r\nContent-Length: 1\r\n${CLOSE}a`],
  ["Content-Length with another", `${GET}Content-Length: 1\r\nContent-Length: 2\r\n${CLOSE}ab`],
  ["Content-Length as a list", `${GET}Content-Length: 1, 1\r\n${CLOSE}a`],
  ["Content-Length with a sign", `${GET}Content-Length: +1\r\n${CLOSE}a`],
  ["Content-Length that is empty", `${GET}Content-Length:\r\n${CLOSE}a`],
  ["Content-Length in hex", `${GET}Content-Length: 0x1\r\n${CLOSE}a`],
  ["chunks", `${GET}Transfer-Encoding: chunked\r\n${CLOSE}1\r\na\r\n0\r\n\r\n`],
  ["chunks with a length", `${GET}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n${CLOSE}1\r\na\r\n0\r\n\r\n`],
  ["an unknown coding", `${GET}Transfer-Encoding: x\r\n${CLOSE}`],
  ["no Host", `GET /a HTTP/1.1\r\n${CLOSE}`],
  ["Host twice", `${GET}Host: y\r\n${CLOSE}`],
  ["a strange Host", `GET /a HTTP/1.1\r\nHost: x/y\r\n${CLOSE}`],
  ["Expect", `${GET}Expect: 100-continue\r\nContent-Length: 1\r\n${CLOSE}a`],
  ["TE", `${GET}TE: trailers\r\n${CLOSE}`],
  ["Upgrade", `${GET}Upgrade: h2c\r\n${CLOSE}`],
  ["other options of the connection", `${GET}Connection: close, x-hop\r\nX-Hop: 1\r\n\r\n`],
  ["__proto__", `${GET}__proto__: 1\r\n${CLOSE}`],
  ["a head that is too large", `${GET}X-A: ${"a".repeat(MAX_HEAD_BYTES)}\r\n${CLOSE}`],
  ["a body that is too large", `${GET}Content-Length: 100000\r\n${CLOSE}${"a".repeat(100_000)}`],
  ["a message of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
])("hands over %s", async (_, text) => {
  const { port } = await listen();
  const alone = await start(createEchoServer());
  const withoutDate = (received: string) => received.replace(/^date: .*$/im, "");
  expect(withoutDate(await exchange(port, text))).toBe(withoutDate(await exchange(alone, text)));
});

test("parses long runs of white space in linear time", async () => {
  const { port } = await listen();
  const space = " ".repeat(MAX_HEAD_BYTES - 100);
  // With a backtracking expression, the test would take minutes.
  const heads = Array.from({ length: 2000 }, () =>
    exchange(port, `GET / HTTP/1.1\r\nhost: a\r\nx:${space}\x01\r\n\r\n`),
  );
  for (const response of await Promise.all(heads)) expect(response).toMatch(/^HTTP\/1\.1 400 /);
});

test("leaves later requests of a handed-over connection to Node's server", async () => {
  const { port } = await listen();
  const texts = [`${GET}\r\n`, `${GET}TE: trailers\r\n\r\n`, `${GET}${CLOSE}`];
  const received = parseEchoes(await exchange(port, texts.join("")));
  expect(received.map(({ by }) => by)).toEqual(["own", "node", "node"]);
});

test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("serves %s", async (method) => {
  const { port } = await listen((exchange) => exchange.respond(200, { "x-method": exchange.method }, "own"));
  const received = await exchange(port, `${method} /any HTTP/1.1\r\nHost: x\r\n${CLOSE}`);
  expect(received).toContain(`x-method: ${method}\r\n`);
  expect(received).toContain("content-length: 3\r\n");
  expect(received.endsWith("\r\n\r\nown")).toBe(method !== "HEAD");
});

test("hands over a slow request, so that Node's server enforces its timeouts", async () => {
  const { port } = await listen(echoOwn, 50);
  const socket = open(port);
  socket.write(GET);
  await pause(250);
  socket.write(CLOSE);
  const [text] = await once(socket, "data");
  expect(parseEchoes(text)).toMatchObject([{ by: "node", url: "/a?b" }]);
});

test("does not hand over a connection that ended within a request and has unread responses", async () => {
  const body = "a".repeat(20 * 1024);
  let handled: Socket | undefined;
  const nodeServer = createServer();
  let isHandedOver = false;
  nodeServer.removeAllListeners("connection").on("connection", (socket: Socket) => {
    onTestFinished(() => void socket.destroy());
    const handle = (exchange: Http1Exchange) => exchange.respond(200, {}, body);
    const handOver = () => {
      isHandedOver = true;
    };
    handled = socket;
    new Http1Connection(socket, { handle, handOver, maxHeadBytes: MAX_HEAD_BYTES, peer: createPeer(socket) });
  });
  const socket = open(await start(nodeServer)).pause();
  // Fills the system's buffers, but not the socket's buffer, which would stop the handling of requests.
  do {
    socket.write(`${GET}\r\n`);
    await pause(1);
  } while ((handled?.writableLength ?? 0) === 0);
  socket.end(GET);
  await pause(250);
  expect(handled?.writableLength).toBeGreaterThan(0);
  expect(isHandedOver).toBe(false);
});

test("limits the read-ahead while a request is in progress", async () => {
  const requests: Http1Exchange[] = [];
  const { port, connections } = await listen((request) => {
    if (requests.push(request) > 1) request.respond(204, {}, undefined);
  });
  const socket = open(port).resume();
  socket.write(`${GET}\r\n`.repeat(100_000));
  await expect.poll(() => requests.length).toBe(1);
  await pause(50);
  expect(requests).toHaveLength(1);
  expect(connections[0]?.socket.bytesRead).toBeLessThan(512 * 1024);
  requests[0]?.respond(204, {}, undefined);
  await expect.poll(() => requests.length).toBe(100_000);
});

test("limits the read-ahead while every response takes a moment", async () => {
  let [handled, unhandled] = [0, 0];
  const { port, connections } = await listen((request) => {
    handled++;
    unhandled = Math.max(unhandled, Number(connections[0]?.socket.bytesRead) - handled * (GET.length + 2));
    setImmediate(() => request.respond(204, {}, undefined));
  });
  open(port).resume().write(`${GET}\r\n`.repeat(100_000));
  await expect.poll(() => handled).toBe(100_000);
  expect(unhandled).toBeLessThan(512 * 1024);
});

test("handles no more requests of a client that does not read responses", async () => {
  let handled = 0;
  const { port } = await listen((request) => {
    handled++;
    request.respond(200, {}, "a".repeat(64 * 1024));
  });
  const socket = open(port).pause();
  socket.write(`${GET}\r\n`.repeat(2000));
  await expect.poll(() => handled).toBeGreaterThan(1);
  await pause(200);
  expect(handled).toBeLessThan(500);
  let received = 0;
  socket.on("data", (text: string) => {
    received += text.length;
  });
  socket.resume();
  await expect.poll(() => received).toBeGreaterThan(2000 * 64 * 1024);
  expect(handled).toBe(2000);
});

test.each(["reset", "end"])("reports that the client disconnected: %s", async (way) => {
  const events: unknown[] = [];
  let request: Http1Exchange | undefined;
  const { port } = await listen((given) => {
    request = given;
    given.onGone(() => events.push("gone"));
    given.onEnd((status) => events.push(status));
  });
  const socket = open(port);
  socket.write(`${GET}\r\n`);
  await expect.poll(() => request).toBeDefined();
  if (way === "reset") socket.resetAndDestroy();
  else socket.end();
  await expect.poll(() => events).toEqual([undefined, "gone"]);
  request?.respond(200, {}, "too late");
  request?.onGone(() => events.push("again"));
  expect(events).toEqual([undefined, "gone", "again"]);
});

test("closes an idle connection at once, and a busy one after its response", async () => {
  const requests: Http1Exchange[] = [];
  const { port, connections } = await listen((request) => void requests.push(request));
  const [idle, busy] = [exchange(port), exchange(port, `${GET}\r\n${GET}\r\n`)];
  await expect.poll(() => requests.length).toBe(1);
  await expect.poll(() => connections.length).toBe(2);
  for (const connection of connections) connection.close();
  expect(await idle).toBe("");
  requests[0]?.respond(200, {}, "done");
  expect(await busy).toMatch(/connection: close\r\n\r\ndone$/);
  expect(requests).toHaveLength(1);
});

test("waits on close for the response to a request that nothing follows", async () => {
  const requests: Http1Exchange[] = [];
  const { port, connections } = await listen((request) => void requests.push(request));
  const response = exchange(port, `${GET}\r\n`);
  await expect.poll(() => requests.length).toBe(1);
  connections[0]?.close();
  requests[0]?.respond(200, {}, "done");
  expect(await response).toMatch(/connection: close\r\n\r\ndone$/);
});

test.each([
  ["connection: close", `${GET}${CLOSE}`, () => {}],
  ["close()", `${GET}\r\n`, (connection: Http1Connection) => connection.close()],
  ["retire()", `${GET}\r\n`, (connection: Http1Connection) => connection.retire()],
])("handles no request after %s", async (_, last, end) => {
  const targets: string[] = [];
  const { port, connections } = await listen((request) => {
    targets.push(request.target);
    end(connections[0] as Http1Connection);
    request.respond(200, {}, "done");
  });
  expect(await exchange(port, `${last}GET /behind HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(
    /connection: close\r\n\r\ndone$/,
  );
  expect(targets).toEqual(["/a?b"]);
});

test("waits on close for the rest of an incomplete request", async () => {
  const [soon, late] = [await listen(), await listen(echoOwn, 50)];
  const begin = async ({ port, connections }: Listening) => {
    const socket = open(port);
    socket.write(`POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\na`);
    await expect.poll(() => connections[0]?.socket.bytesRead).toBeGreaterThan(0);
    connections[0]?.close();
    return socket;
  };
  const first = await begin(soon);
  first.write("b");
  expect((await once(first, "data"))[0]).toMatch(/connection: close\r\n.*"by":"own".*"body":"ab"/s);
  await once(first, "close");
  const second = await begin(late);
  await pause(150);
  second.write("b");
  expect((await once(second, "data"))[0]).toMatch(/"by":"node".*"body":"ab"/);
});

test("closes a retired connection after its next response", async () => {
  const { port, connections } = await listen();
  const socket = open(port);
  socket.write(`${GET}\r\n`);
  await once(socket, "data");
  connections[0]?.retire();
  socket.write(`${GET}\r\n`);
  const [text] = await once(socket, "data");
  expect(text).toMatch(/connection: close\r\n/);
  await once(socket, "close");
});

test("parses arbitrary requests in arbitrary pieces in the same way as Node's server", async () => {
  const [both, alone] = [await record(true), await record(false)];
  const field = fc.constantFrom(
    "X-A: a",
    "x-b:b ",
    "X-C: \t",
    "Accept: */*",
    "Connection: keep-alive",
    "Connection: Keep-Alive",
    "Content-Type: application/json",
    "X-A: again",
    "X-Fold: a\r\n b",
    "X\x01: a",
    "X-E: \x80",
    "Bad",
  );
  const length = fc.constantFrom(
    "Content-Length: 3",
    "content-length: 03",
    "Content-Length: 0",
    "Transfer-Encoding: chunked",
    "X: 3",
  );
  const line = fc.constantFrom(
    "GET /a",
    "POST /b?c=d",
    "DELETE /%41",
    "PATCH /",
    "HEAD /h",
    "get /a",
    "GET a",
    "PUT *",
  );
  const text = fc
    .record({
      line,
      version: fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.7"),
      fields: fc.array(field, { maxLength: 4 }),
      length,
      body: fc.constantFrom("abc", "", "3\r\nabc\r\n0\r\n\r\n", "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"),
      end: fc.constantFrom("\r\n", "\r\n", "\r\n", "\n"),
    })
    .map(({ line, version, fields, length, body, end }) =>
      [`${line} ${version}`, "Host: x", ...fields, length, "", body].join(end),
    );
  const last = `GET /last HTTP/1.1\r\nHost: x\r\n${CLOSE}`;
  const cuts = fc.array(fc.nat(), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 3 }), cuts, async (texts, places) => {
      const sent = texts.join("") + last;
      const cutAt = [0, ...places.map((place) => place % sent.length).sort((a, b) => a - b), sent.length];
      const pieces = cutAt.slice(1).map((end, index) => sent.slice(cutAt[index], end));
      await Promise.all([exchange(both.port, ...pieces), exchange(alone.port, sent)]);
      const [received, expected] = [both.take(), alone.take()];
      expect(received.refusals).toEqual(expected.refusals);
      // Before a parse error, Node's server has read a part of the body, which ours discards: bodies are not compared then.
      const bodies = expected.refusals.length > 0 ? { body: "" } : {};
      const comparable = ({ requests }: typeof received) => requests.map((request) => ({ ...request, ...bodies }));
      expect(comparable(received)).toEqual(comparable(expected));
    }),
    { numRuns: 1000 },
  );
});
