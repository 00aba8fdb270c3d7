import { once } from "node:events";
import { afterAll, describe, expect, test } from "vitest";
import { createDataLocation } from "../testing/data-location.js";
import { expectErrorShape } from "../testing/error-shape.js";
import { createGrpcClient } from "../testing/grpc-client.js";
import { HTTP_VERSIONS, sendHttp } from "../testing/http-request.js";
import { openSocket, RawConnection, readAllText } from "../testing/raw-connection.js";
import { startServerProcess } from "../testing/server-process.js";
import { startTestServer } from "../testing/test-server.js";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** A SETTINGS frame without settings: length 0, type 4, no flags, stream 0. */
const SETTINGS = "\0\0\0\x04\0\0\0\0\0";
const RPC = "/calltracking.v1.AccountService/ListAccounts";

const { environment } = await createDataLocation("postgres");
const server = await startServerProcess({ ...environment, LOG_LEVEL: "error" });

afterAll(async () => {
  expect(await server.stop()).toMatchObject({ exitCode: 0, stderr: "" });
});

const open = () => openSocket(server.port);

/** Sends bytes over a new connection, and returns the received data when the server closes the connection. */
async function exchange(...parts: readonly string[]): Promise<string> {
  const socket = await open();
  const text = readAllText(socket);
  for (const part of parts) {
    socket.write(part, "latin1");
    await new Promise(setImmediate);
  }
  return text;
}

async function expectHealthy(): Promise<void> {
  for (const version of HTTP_VERSIONS) {
    expect(await sendHttp(version, server.port, { target: "/readyz" })).toMatchObject({ status: 200 });
  }
}

describe("the HTTP server", () => {
  test("immediately closes a connection that ends without data, such as a load balancer's probe", async () => {
    const socket = await open();
    const closed = once(socket, "close");
    socket.resume().end();
    await closed;
  });

  test("serves HTTP/1.1, HTTP/2 with prior knowledge and gRPC on one port", async () => {
    const grpc = createGrpcClient(server.port);
    await Promise.all([expectHealthy(), grpc.listAccounts(), expectHealthy(), grpc.listAccounts()]);
    grpc.close();
  });

  test.each(HTTP_VERSIONS)("accepts a request with 300 header fields over %s", async (version) => {
    const headers = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-${index}`, "1"]));
    expect(await sendHttp(version, server.port, { target: "/healthz", headers })).toMatchObject({ status: 200 });
  });

  test("accepts a request that arrives byte by byte", async () => {
    const request = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    expect(await exchange(...request)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test("accepts the HTTP/2 preface byte by byte", async () => {
    const socket = await open();
    for (const byte of PREFACE + SETTINGS) {
      socket.write(byte, "latin1");
      await new Promise(setImmediate);
    }
    const [chunk] = (await once(socket, "data")) as [Buffer];
    expect(chunk[3]).toBe(4);
    socket.destroy();
  });

  test.each([
    ["HTTP/1.0 without a Host", "HTTP/1.0\r\n\r\n"],
    ["HTTP/1.0 with a Host", "HTTP/1.0\r\nhost: localhost\r\n\r\n"],
    ["HTTP/1.1 without a Host", "HTTP/1.1\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.1 with an empty Host", "HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.1 with a malformed Host", "HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.1 with half an IPv6 address as Host", "HTTP/1.1\r\nhost: [::1\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.1 with a Host that is a path", "HTTP/1.1\r\nhost: /x?y#z\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.1 with an invalid port", "HTTP/1.1\r\nhost: localhost:99999\r\nconnection: close\r\n\r\n"],
    ["HTTP/1.1 with two Hosts", "HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n"],
    ["HTTP/9.9", "HTTP/9.9\r\nhost: localhost\r\n\r\n"],
    ["no version", "\r\n\r\n"],
  ])("responds to %s on every path, and keeps serving", async (_, rest) => {
    for (const path of ["/healthz", "/readyz", "/call_tracking/accounts", "/nope", RPC]) {
      for (const method of ["GET", "POST"]) {
        expect(await exchange(`${method} ${path} ${rest}`)).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
      }
    }
    await expectHealthy();
  });

  test.each([
    ["two Hosts", "host: a\r\nhost: b\r\n"],
    ["the same Host twice", "host: a\r\nx-between: 1\r\nHost: a\r\n"],
  ])("rejects %s on every path and in every form of target", async (_, hosts) => {
    const json = "content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    for (const target of ["/healthz", "/call_tracking/accounts", "/nope", RPC, "http://a/healthz"]) {
      const answer = await exchange(`POST ${target} HTTP/1.1\r\n${hosts}${json}`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('"reason":"HOST_MALFORMED"');
    }
  });

  test("rejects a host header that differs from the HTTP/2 authority, in the format of the protocol", async () => {
    const headers = { ":authority": "localhost", host: "example.com" };
    const answer = await sendHttp("HTTP/2", server.port, { target: "/healthz", headers });
    expect(expectErrorShape(answer.status, answer.headers["content-type"], answer.text)).toMatchObject({
      reason: "HOST_MALFORMED",
    });
    const grpc = { ...headers, "content-type": "application/grpc" };
    const trailers = await sendHttp("HTTP/2", server.port, { method: "POST", target: RPC, headers: grpc });
    expect(trailers.headers).toMatchObject({ "grpc-status": "3" });
  });

  test.each([
    ["GET", "/healthz", 200],
    ["GET", "/readyz", 200],
    ["GET", "/docs", 200],
    ["GET", "/call_tracking/accounts?page_size=1", 200],
    ["GET", "/nope", 404],
    ["GET", "", 200],
    ["GET", "?page_size=1", 200],
    ["POST", RPC, 200],
  ])("returns the same response for %s http://HOST%s as for the path alone", async (method, path, status) => {
    const content = method === "POST" ? "content-type: application/json\r\ncontent-length: 2\r\n" : "";
    const headers = `${content}connection: close\r\n\r\n${method === "POST" ? "{}" : ""}`;
    const body = async (target: string) =>
      (await exchange(`${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${headers}`)).split("\r\n\r\n")[1];
    const plain = await body(path.startsWith("/") ? path : `/${path}`);
    for (const origin of ["http://localhost", "https://Localhost:443", "HTTP://[::1]:8080"]) {
      const answer = await exchange(`${method} ${origin}${path} HTTP/1.1\r\nhost: a\r\n${headers}`);
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(answer.split("\r\n\r\n")[1]).toBe(plain);
    }
  });

  test("prefers the host of an absolute target to the Host header", async () => {
    const answer = await exchange(
      `POST http://localhost${RPC} HTTP/1.1\r\nhost: [::1\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    "http://",
    "http:///healthz",
    "http://user@localhost/healthz",
    "ftp://localhost/healthz",
    "healthz",
    "//",
  ])("rejects the target %s", async (target) => {
    const answer = await exchange(`GET ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
  });

  test.each(["end", "resetAndDestroy"] as const)(
    "rejects CONNECT, and its client may disconnect by %s",
    async (way) => {
      const socket = await open();
      socket.write("CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\nx");
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 405 .*\r\n(?:.+\r\n)*allow: DELETE, GET, HEAD, /);
      socket[way]();
      await expectHealthy();
    },
  );

  test.each([
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n"],
    ["malformed data", "nothing of HTTP\r\n\r\n"],
  ])("rejects %s after pipelined requests, and keeps serving others", async (_, last) => {
    const get = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const connection = new RawConnection(server.port, `${get.repeat(3)}${last}`);
    await connection.closed;
    expect(connection.text).toMatch(/HTTP\/1\.1 40[05] /);
    await expectHealthy();
  });

  test("sends no error in a response that has begun if malformed data follows the request", async () => {
    // The server stops reading the connection while the response continues, so the idle timeout closes it.
    const shortIdleServer = await startTestServer("postgres", { limits: { idleTimeoutMs: 1000 }, managesPools: false });
    const head = "host: a\r\ncontent-type: application/grpc-web+proto\r\ncontent-length: 5";
    const watch = `POST /grpc.health.v1.Health/Watch HTTP/1.1\r\n${head}\r\n\r\n\0\0\0\0\0`;
    const connection = new RawConnection(shortIdleServer.port, watch);
    await expect.poll(() => connection.text).toMatch(/^HTTP\/1\.1 200 /);
    connection.socket.write("nothing of HTTP\r\n\r\n");
    await connection.closed;
    expect(connection.text).not.toContain("HTTP/1.1 400");
    await shortIdleServer.stop();
  });

  test("rejects an RPC with a malformed Host", async () => {
    const answer = await exchange(
      `POST ${RPC} HTTP/1.1\r\nhost: [::1\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"reason":"HOST_MALFORMED"');
  });

  test.each([
    ["nothing", ""],
    ["one byte", "G"],
    ["two bytes", "PR"],
    ["three bytes", "PRI"],
    ["half a request line", "GET /call_track"],
    ["half the headers", "GET /call_tracking/accounts HTTP/1.1\r\nhost: local"],
    ["half a body", "POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"],
    [
      "half a chunk",
      "POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{",
    ],
    [
      "half an RPC",
      `POST ${RPC} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    ],
    ["half the preface", "PRI * HTTP/2.0\r\n\r\nS"],
    ["the preface alone", PREFACE],
    ["the preface and settings", PREFACE + SETTINGS],
    ["half a frame", `${PREFACE}${SETTINGS}\0\0\x64\x01`],
  ])("keeps serving after a connection ends with a FIN or RST after %s", async (_, bytes) => {
    for (const end of ["end", "resetAndDestroy"] as const) {
      const socket = await open();
      if (bytes !== "") await new Promise((resolve) => socket.write(bytes, "latin1", resolve));
      await expectHealthy();
      socket[end]();
      await expectHealthy();
      socket.destroy();
    }
  });

  test.each([
    ["a TLS handshake", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"],
    ["noise", "\0\x01\x02\x03\x04\x05\x06\x07\r\n\r\n"],
    ["line breaks", "\r\n\r\n\r\n\r\nx\r\n\r\n"],
    ["the preface and noise", `${PREFACE}${"\xff".repeat(100)}`],
    ["two content-lengths", "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"],
    [
      "a content-length and chunks",
      "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["headers without end", `GET / HTTP/1.1\r\n${"a: b\r\n".repeat(20_000)}`],
    ["a URL without end", `GET /${"x".repeat(100_000)}`],
  ])("closes the connection after %s, and keeps serving", async (_, bytes) => {
    await exchange(bytes);
    await expectHealthy();
  });

  test.each(["PRINT", "PRIV", "PRI\t", "PR"])("answers the HTTP/1.1 method %j in text", async (method) => {
    const answer = await exchange(`${method} / HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    await expectHealthy();
  });
});
