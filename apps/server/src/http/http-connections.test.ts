import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HttpLimits } from "../config/http-limits.js";
import type { HttpErrorReason } from "../errors/http-errors.js";
import { HTTP_VERSIONS, SEND_REQUEST_BY_VERSION } from "../testing/http-request.js";
import { readAllText } from "../testing/raw-connection.js";
import { createHttpServer, type HttpServer } from "./http-server.js";
import type { RequestHandler } from "./request-handler.js";

const STATUS: Readonly<Partial<Record<HttpErrorReason, number>>> = {
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
  /** The statuses passed to `onEnd`. */
  readonly ends: (number | undefined)[];
  readonly refusals: HttpErrorReason[];
}

async function start(
  handle: (given: NodeRequest) => void,
  limits: Partial<HttpLimits> = {},
  overrides: Partial<RequestHandler> = {},
): Promise<Started> {
  const ends: (number | undefined)[] = [];
  const refusals: HttpErrorReason[] = [];
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
  return readAllText(socket);
}

function throwError(): never {
  throw new Error("thrown by a test");
}

describe.each(HTTP_VERSIONS)("%s", (version) => {
  const send = SEND_REQUEST_BY_VERSION[version];

  test("provides the peer", async () => {
    let peer: NodeRequest["peer"] | undefined;
    const { port } = await start((given) => {
      peer = given.peer;
      given.respond(204, {});
    });
    await send(port).readResponse();
    expect(peer).toMatchObject({ address: "127.0.0.1", isEncrypted: false, certificateName: undefined });
    expect(peer?.port).toBeGreaterThan(0);
  });

  test("rejects an unknown expectation", async () => {
    const { port, refusals, ends } = await start(() => expect.unreachable());
    const options = { method: "POST", headers: { expect: "more" }, body: "" };
    const { status, headers, body } = await send(port, options).readResponse();
    expect([status, headers["x-added"], body]).toEqual([417, "1", "EXPECTATION_UNSUPPORTED"]);
    expect(refusals).toEqual(["EXPECTATION_UNSUPPORTED"]);
    await expect.poll(() => ends).toEqual([417]);
  });

  test("rejects a malformed host", async () => {
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

  test("resets a request whose failure handler throws, and serves the next request", async () => {
    const { port } = await start(throwError, {}, { fail: throwError });
    for (let turn = 0; turn < 2; turn++) await expect(send(port).readResponse()).rejects.toThrow();
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

  test.each<[what: string, bytes: string, reason: HttpErrorReason]>([
    ["a request that is not HTTP", "what?\r\n\r\n", "REQUEST_MALFORMED"],
    ["headers that are too large", get("/", `x-a: ${"a".repeat(20_000)}\r\n`), "HEADERS_TOO_LARGE"],
    ["two hosts", get("/", "host: b\r\nconnection: close\r\n"), "HOST_MALFORMED"],
    ["no host", "GET / HTTP/1.1\r\nconnection: close\r\n\r\n", "HOST_MALFORMED"],
    ["another scheme", "GET ftp://a/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", "PATH_MALFORMED"],
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nhost: a:80\r\n\r\n", "METHOD_NOT_ALLOWED"],
  ])("rejects %s", async (_, bytes, reason) => {
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
});
