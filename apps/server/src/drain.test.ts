import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "./config/config.js";
import { createGrpcClient } from "./testing/grpc-client.js";
import { type LockHolder, openLockHolder } from "./testing/lock-holder.js";
import { RawConnection } from "./testing/raw-connection.js";
import { readMetric } from "./testing/read-metric.js";
import { uniqueToken } from "./testing/request-fields.js";
import { isConnectionRefused } from "./testing/server-process.js";
import { createTestDatabase } from "./testing/test-database.js";
import { serveDatabase, type TestServer } from "./testing/test-server.js";

const ACCOUNTS = "/call_tracking/accounts";

/** Timeouts that are longer than every test, so that only the stopping server can close connections. */
const limits = { ...readConfig({ REQUEST_TIMEOUT: "1h" }).limits, sendTimeoutMs: 3_600_000 };

let server: TestServer;
let holder: LockHolder;

beforeEach(async () => {
  const location = await createTestDatabase("postgres");
  server = await serveDatabase(location, { limits, managesPools: false });
  holder = await openLockHolder(location.url);
});

afterEach(() => holder[Symbol.asyncDispose]());

function chunkedPost(): string {
  const body = JSON.stringify({ account_token: uniqueToken() });
  const head = `POST ${ACCOUNTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`;
  return `${head}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

const GET = `GET ${ACCOUNTS} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

describe("a stopping server closes", () => {
  test.each([
    ["a connection without any data", "", ""],
    ["a connection with part of the HTTP/2 preface", "PR", ""],
    ["an idle HTTP/1.1 connection", GET, "200 OK"],
    ["an idle HTTP/1.1 connection after a chunked request", chunkedPost(), "201 Created"],
    ["an idle HTTP/2 connection", PREFACE, "\0\0\0\x04\x01"],
  ])("%s", async (_, bytes, answer) => {
    const connection = new RawConnection(server.port, bytes);
    await expect.poll(() => connection.text).toContain(answer);
    // When a later connection has a response, the server has accepted and read the first one.
    const later = new RawConnection(server.port, GET);
    await expect.poll(() => later.text).toContain("200 OK");
    await server.stop();
    await connection.closed;
  });

  test("HTTP/2 connections, also of gRPC clients, with GOAWAY", async () => {
    const session = connectHttp2(server.url);
    const goAway = once(session, "goaway");
    await once(session, "connect");
    const grpc = createGrpcClient(server.port);
    await grpc.listAccounts();
    await server.stop();
    expect((await goAway)[0]).toBe(0);
    grpc.close();
  });
});

test("a stopping server answers in-flight requests over every protocol and accepts no new connections", async () => {
  await holder.hold("lock table accounts in access exclusive mode");
  const http1 = [new RawConnection(server.port, GET), new RawConnection(server.port, chunkedPost())];
  const session = connectHttp2(server.url);
  const stream = session.request({ ":path": ACCOUNTS });
  // Adds the listener before the lock is released, because the response may arrive before the test awaits it.
  const response = once(stream.resume(), "response");
  const grpc = createGrpcClient(server.port);
  const call = grpc.listAccounts();
  const inFlight = () => readMetric(server.opsUrl, "calltrack_requests_in_flight");
  await expect.poll(inFlight).toBe(4);
  const goAway = once(session, "goaway");
  const stopped = server.stop();
  await goAway;
  await expect.poll(() => isConnectionRefused(server.port)).toBe(true);
  await holder.release();
  const [headers] = await response;
  expect(headers[":status"]).toBe(200);
  expect((await call).entries).toBeInstanceOf(Array);
  for (const [index, connection] of http1.entries()) {
    await connection.closed;
    expect(connection.text).toMatch(index === 0 ? /^HTTP\/1\.1 200 OK\r\n/ : /^HTTP\/1\.1 201 Created\r\n/);
    expect(connection.text).toMatch(/\r\n\r\n[[{].*[\]}](?:\r\n0\r\n\r\n)?$/s);
  }
  expect(http1[0]?.text).toMatch(/\r\nconnection: close\r\n/);
  await stopped;
  grpc.close();
});

test("a stopping server reads and answers a request whose body has begun to arrive", async () => {
  const body = JSON.stringify({ account_token: uniqueToken() });
  const head = `POST ${ACCOUNTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const connection = new RawConnection(server.port, head + body.slice(0, 5));
  const later = new RawConnection(server.port, GET);
  await expect.poll(() => later.text).toContain("200 OK");
  const stopped = server.stop();
  await later.closed;
  connection.socket.write(body.slice(5));
  await connection.closed;
  expect(connection.text).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
  await stopped;
});
