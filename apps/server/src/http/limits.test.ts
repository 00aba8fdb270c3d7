import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { beginRequest } from "../testing/begin-request.js";
import { callConnect } from "../testing/connect-call.js";
import { expectErrorShape } from "../testing/error-shape.js";
import { createGrpcClient } from "../testing/grpc-client.js";
import { HTTP_VERSIONS, type HttpAnswer, SEND_REQUEST_BY_VERSION, sendHttp } from "../testing/http-request.js";
import { lockTable } from "../testing/lock-table.js";
import { openSocket, readAllText } from "../testing/raw-connection.js";
import { requireRefusal } from "../testing/refusal.js";
import { uniqueToken } from "../testing/request-fields.js";
import { withLimits } from "../testing/with-limits.js";

const ACCOUNTS = "/call_tracking/accounts";
const POST = { method: "POST", target: ACCOUNTS, headers: { "content-type": "application/json" } };

function refusalIn({ status, headers, text }: HttpAnswer) {
  return { httpStatus: status, ...expectErrorShape(status, headers["content-type"], text) };
}

/** Waits until the server closes a connection whose data the client does not read. */
async function closeUnread(socket: Socket): Promise<void> {
  // A socket that is not read detects the close only when it writes.
  const timer = setInterval(() => socket.write("\r\n"), 50);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(timer);
}

describe(
  "sizes",
  withLimits({ maxBodyBytes: 20_000, maxHeaderBytes: 4096, maxUrlBytes: 1024, maxStreams: 7 }, (server) => {
    describe.each(HTTP_VERSIONS)("over %s", (version) => {
      const send = (request: Parameters<typeof sendHttp>[2]) => sendHttp(version, server().port, request);

      test.each([
        ["content-length", {}],
        ["chunks", { "transfer-encoding": "chunked" }],
      ])("returns 413 for a body that is too large, with %s", async (_, headers) => {
        if (version === "HTTP/2" && "transfer-encoding" in headers) return;
        const body = JSON.stringify({ account_token: "x".repeat(30_000) });
        expect(refusalIn(await send({ ...POST, headers: { ...POST.headers, ...headers }, body }))).toMatchObject({
          httpStatus: 413,
          status: "RESOURCE_EXHAUSTED",
          reason: "BODY_TOO_LARGE",
          message: "the body must be at most 20000 bytes",
        });
      });

      test("returns 413 and not 100 Continue if the content-length is too large", async () => {
        const headers = { ...POST.headers, expect: "100-continue", "content-length": "30000" };
        const request = SEND_REQUEST_BY_VERSION[version](server().port, {
          method: "POST",
          path: ACCOUNTS,
          headers,
          body: "open",
        });
        const { body: text, ...head } = await request.readResponse();
        expect(request.isContinued()).toBe(false);
        expect(refusalIn({ ...head, text })).toMatchObject({ httpStatus: 413, reason: "BODY_TOO_LARGE" });
        request.destroy();
      });

      test("returns 100 Continue if the content-length is within the limit", async () => {
        const body = JSON.stringify({ account_token: uniqueToken() });
        const headers = { ...POST.headers, expect: "100-continue", "content-length": String(body.length) };
        const request = SEND_REQUEST_BY_VERSION[version](server().port, {
          method: "POST",
          path: ACCOUNTS,
          headers,
          body: "open",
        });
        await expect.poll(() => request.isContinued()).toBe(true);
        request.body.end(body);
        expect(await request.response).toMatchObject({ status: 201 });
        request.destroy();
      });

      test.each(["gzip", "gzip, gzip"])("returns 413 for a decompression bomb with %s", async (coding) => {
        const once = gzipSync(Buffer.alloc(1_000_000));
        const body = coding === "gzip" ? once : gzipSync(gzipSync(Buffer.alloc(10_000_000)));
        const headers = { ...POST.headers, "content-encoding": coding };
        expect(refusalIn(await send({ ...POST, headers, body }))).toMatchObject({ reason: "BODY_TOO_LARGE" });
      });

      test("returns 431 for headers that are too large", async () => {
        const headers = { "x-large": "x".repeat(5000) };
        expect(refusalIn(await send({ target: ACCOUNTS, headers }))).toMatchObject({
          httpStatus: 431,
          reason: "HEADERS_TOO_LARGE",
        });
      });

      test("returns 414 for a URL that is too long", async () => {
        expect(refusalIn(await send({ target: `${ACCOUNTS}?page_token=${"x".repeat(1000)}` }))).toMatchObject({
          httpStatus: 414,
          reason: "URL_TOO_LARGE",
          message: "the URL must be at most 1024 bytes",
        });
      });
    });

    test("rejects only the stream for headers up to four times the limit, in the format of its protocol", async () => {
      const session = connectHttp2(server().url);
      const other = session.request({ ":method": "POST", ":path": ACCOUNTS, ...POST.headers });
      const large = { "x-large": "x".repeat(15_000) };
      const rpc = { ":method": "POST", ":path": "/calltracking.v1.AccountService/ListAccounts", ...large };
      const answers = [
        [{ ":path": ACCOUNTS, ...large }, { ":status": 431 }],
        [{ ...rpc, "content-type": "application/json" }, { ":status": 400 }],
        [
          { ...rpc, "content-type": "application/grpc" },
          { ":status": 200, "grpc-status": "3" },
        ],
      ] as const;
      for (const [headers, answer] of answers) {
        const stream = session.request(headers, { endStream: true });
        expect((await once(stream.resume(), "response"))[0]).toMatchObject(answer);
      }
      other.end(JSON.stringify({ account_token: uniqueToken() }));
      expect((await once(other.resume(), "response"))[0]).toMatchObject({ ":status": 201 });
      session.close();
    });

    test("sends the stream limit in the HTTP/2 settings", async () => {
      const session = connectHttp2(server().url);
      expect(await once(session, "remoteSettings")).toMatchObject([{ maxConcurrentStreams: 7 }]);
      session.destroy();
    });

    test("returns RESOURCE_EXHAUSTED for a gRPC message that is too large", async () => {
      const grpc = createGrpcClient(server().port);
      expect(await requireRefusal(grpc.createAccount({ account_token: "x".repeat(30_000) }))).toMatchObject({
        status: "RESOURCE_EXHAUSTED",
        reason: "BODY_TOO_LARGE",
      });
      grpc.close();
    });
  }),
);

const HOUR_MS = 3_600_000;

describe(
  "connections",
  // Sets timeouts of an hour, so that only the limits close connections.
  withLimits(
    { maxConnections: 4, maxConnectionsPerAddress: 2, headerTimeoutMs: HOUR_MS, bodyTimeoutMs: HOUR_MS },
    (server) => {
      test("closes connections of an address over its limit, but none of other addresses", async () => {
        const first = await openSocket(server().port);
        const second = await openSocket(server().port);
        expect(await readAllText(await openSocket(server().port))).toBe("");
        const other = await openSocket(server().port, "127.0.0.2");
        other.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        expect(await readAllText(other)).toMatch(/^HTTP\/1\.1 200 /);
        first.destroy();
        await expect
          .poll(() => sendHttp("HTTP/1.1", server().port, { target: "/healthz" }).catch(() => {}))
          .toBeTruthy();
        second.destroy();
      });

      test("closes connections over the total limit", async () => {
        const sockets = await Promise.all([2, 2, 3, 3].map((last) => openSocket(server().port, `127.0.0.${last}`)));
        expect(await readAllText(await openSocket(server().port, "127.0.0.4"))).toBe("");
        for (const socket of sockets) socket.destroy();
      });
    },
  ),
);

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/** Encodes an HTTP/2 frame (RFC 9113 section 4.1). */
function frame(type: number, flags: number, streamId: number, payload: readonly number[]): Buffer {
  const head = Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, 0]);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** The HPACK header block of the request `POST /` to the authority `a`. Its indexes refer to the static table in RFC 7541, appendix A. */
const POST_BLOCK = [0x83, 0x86, 0x84, 0x41, 1, 0x61];

const PROXY = (address: string) => address === "127.0.0.1";

describe.each([
  ["closes the connection", 4000, { maxRequests: undefined }, true],
  ["closes the connection, even if most requests exceed the concurrency limit", 40_000, {}, true],
  [
    "does not close a connection of a trusted proxy, which many clients share",
    20_000,
    { trustedProxies: PROXY },
    false,
  ],
] as const)("a flood of requests that the client resets immediately", (title, count, limits, isClosed) => {
  withLimits(limits, (server) => {
    test(title, async () => {
      const socket = await openSocket(server().port);
      socket.write(PREFACE, "latin1");
      for (let id = 1; id < 2 * count; id += 2) {
        socket.write(Buffer.concat([frame(1, 4, id, POST_BLOCK), frame(3, 0, id, [0, 0, 0, 8])]));
      }
      socket.write(frame(6, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]));
      const [goAway, pong] = [Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0]), Buffer.from([0, 0, 8, 6, 1, 0, 0, 0, 0])];
      let received = Buffer.alloc(0);
      while (!received.includes(goAway) && !received.includes(pong)) {
        const [chunk] = (await once(socket, "data")) as [Buffer];
        received = Buffer.concat([received, chunk]);
      }
      expect(received.includes(goAway)).toBe(isClosed);
      socket.destroy();
    });
  })();
});

describe.concurrent(
  "timeouts",
  withLimits(
    // The header timeout is two seconds, because clients on a busy machine may take a second to send their first bytes.
    { headerTimeoutMs: 2000, bodyTimeoutMs: 600, sendTimeoutMs: 300, requestTimeoutMs: 500, idleTimeoutMs: 1000 },
    (server) => {
      test.each([
        ["nothing", ""],
        ["two bytes", "PR"],
        ["half the HTTP/2 preface", PREFACE.slice(0, 10)],
      ])("close the connection of a client that sends %s", async (_, bytes) => {
        const socket = await openSocket(server().port);
        socket.write(bytes, "latin1");
        expect(await readAllText(socket)).not.toMatch(/^HTTP/);
      });

      test.each([
        ["application/json", ACCOUNTS, { ":status": 408 }],
        ["application/grpc", "/calltracking.v1.AccountService/CreateAccount", { ":status": 200, "grpc-status": "4" }],
        [
          "application/grpc-web",
          "/calltracking.v1.AccountService/CreateAccount",
          { ":status": 200, "grpc-status": "4" },
        ],
      ])("reject a request with %s over HTTP/2 whose body does not arrive", async (type, path, expected) => {
        const session = connectHttp2(server().url);
        const stream = session.request({ ":method": "POST", ":path": path, "content-type": type });
        const [headers] = await once(stream, "response");
        expect(headers).toMatchObject(expected);
        session.destroy();
      });

      test("close the HTTP/1.1 connection of a client that does not read responses", async () => {
        const socket = await openSocket(server().port);
        socket.write("GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100));
        await closeUnread(socket);
      });

      test.each([
        ["HTTP/1.1", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"],
        ["HTTP/2", PREFACE],
      ])("close an idle %s connection", async (_, bytes) => {
        const socket = await openSocket(server().port);
        socket.write(bytes, "latin1");
        expect(await readAllText(socket)).not.toBe("");
      });
    },
  ),
);

// Uses a server without a short idle timeout. On a busy machine, a short timeout could close the connection before the client reads the response.
describe(
  "the timeout of sending",
  withLimits({ sendTimeoutMs: 300 }, (server) => {
    test("resets an HTTP/2 response that flow control blocks", async () => {
      const session = connectHttp2(server().url);
      const stream = session.request({ ":path": "/openapi.json" }).on("error", () => {});
      await once(stream, "response");
      await once(stream, "close");
      expect(stream.rstCode).toBe(8);
      session.destroy();
    });

    test("resets a stream of events that flow control blocks", async () => {
      const session = connectHttp2(server().url, { settings: { initialWindowSize: 0 } });
      const stream = session.request({ ":path": "/dni_manager/events:watch" }).on("error", () => {});
      await once(stream, "response");
      await once(stream, "close");
      expect(stream.rstCode).toBe(8);
      session.destroy();
    });
  }),
);

describe(
  "unsent responses",
  withLimits({ maxUnsentBytes: 256 * 1024, sendTimeoutMs: HOUR_MS }, (server) => {
    test("over the limit close the connection with the most unsent bytes", async () => {
      // The unsent bytes of one connection may be within the limit. The unsent bytes of ten connections exceed it.
      const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(server().port)));
      for (const socket of sockets) socket.write("GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100));
      await Promise.race(sockets.map(closeUnread));
      expect(await sendHttp("HTTP/1.1", server().port, { target: "/healthz" })).toMatchObject({ status: 200 });
      for (const socket of sockets) socket.destroy();
    });
  }),
);

describe(
  "in-flight calls",
  withLimits({ maxRequests: 1, requestTimeoutMs: 2000 }, (server) => {
    const OVERLOADED = { status: "UNAVAILABLE", reason: "OVERLOADED" };

    /** Executes `run` while a blocked request uses up the concurrency limit, and returns the response to the blocked request. */
    async function duringCall(run: () => Promise<void>): Promise<HttpAnswer> {
      await using _lock = await lockTable(server(), "accounts");
      const call = sendHttp("HTTP/1.1", server().port, { ...POST, body: { account_token: uniqueToken() } });
      const metrics = () => sendHttp("HTTP/1.1", server().port, { target: "/call_tracking/accounts/1" });
      await expect.poll(async () => (await metrics()).status).toBe(503);
      await run();
      return await call;
    }

    test("over the limit are rejected immediately over every protocol, except health checks", async () => {
      const [{ port, url }, token] = [server(), { account_token: uniqueToken() }];
      const grpc = createGrpcClient(port);
      const answer = await duringCall(async () => {
        for (const version of HTTP_VERSIONS) {
          const refused = await sendHttp(version, port, { ...POST, body: token });
          expect(refused.headers).toMatchObject({ "retry-after": "1" });
          expect(refusalIn(refused)).toMatchObject({ httpStatus: 503, ...OVERLOADED });
          for (const target of ["/healthz", "/readyz", "/healthz?verbose", "/readyz?"]) {
            expect(await sendHttp(version, port, { target })).toMatchObject({ status: 200 });
          }
          for (const target of ["/healthz/1", "/readyzx", "/x/healthz"]) {
            expect(await sendHttp(version, port, { target })).toMatchObject({ status: 503 });
          }
        }
        const refusal = await requireRefusal(grpc.createAccount(token));
        expect(refusal).toMatchObject(OVERLOADED);
        expect(refusal.details[0]).toMatchObject({ "@type": "type.googleapis.com/google.rpc.RetryInfo" });
        expect(await callConnect(url, "calltracking.v1.AccountService/CreateAccount", token)).toMatchObject({
          httpStatus: 503,
          code: "unavailable",
          details: [{}, { reason: "OVERLOADED" }],
        });
        expect(await callConnect(url, "grpc.health.v1.Health/Check", {})).toMatchObject({ httpStatus: 200 });
      });
      // The client set no deadline, so the server's timeout applied.
      expect(refusalIn(answer)).toMatchObject({ httpStatus: 504, reason: "DEADLINE_EXCEEDED" });
      await expect.poll(() => grpc.createAccount(token).catch(() => {})).toMatchObject(token);
      grpc.close();
    });

    test("do not include requests whose body has not arrived", async () => {
      const begun = await beginRequest(server().port);
      expect(await sendHttp("HTTP/1.1", server().port, { target: ACCOUNTS })).toMatchObject({ status: 200 });
      expect(await begun.finish()).toMatch(/HTTP\/1\.1 201 /);
    });

    test("include a stream from its headers until it ends", async () => {
      const session = connectHttp2(server().url);
      const path = "/calltracking.v1.InventoryService/ImportTrackingNumbers";
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc" });
      const statusOf = async (target: string) => (await sendHttp("HTTP/1.1", server().port, { target })).status;
      await expect.poll(() => statusOf(ACCOUNTS)).toBe(503);
      expect(await statusOf("/healthz")).toBe(200);
      stream.close();
      await expect.poll(() => statusOf(ACCOUNTS)).toBe(200);
      session.destroy();
    });

    test("do not exceed the limit if many requests arrive together over one connection", async () => {
      const session = connectHttp2(server().url);
      const statuses = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const stream = session.request({ ":path": ACCOUNTS });
          const [headers] = await once(stream.resume(), "response");
          return headers[":status"];
        }),
      );
      expect(statuses).toContain(200);
      expect(statuses).toContain(503);
      session.close();
    });
  }),
);
