import { afterEach, beforeEach, expect, test } from "vitest";
import { createJsonClient } from "../testing/json-client.js";
import { type LockHolder, openLockHolder } from "../testing/lock-holder.js";
import { RawConnection } from "../testing/raw-connection.js";
import { readMetric } from "../testing/read-metric.js";
import { uniqueToken } from "../testing/request-fields.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase, type TestServer } from "../testing/test-server.js";

const COUNT = 40;

/**
 * Returns a request with a chunked body that is almost as large as one socket read.
 *
 * @param fields header lines in addition to the usual ones.
 */
function chunkedPost(fields: string): string {
  const body = JSON.stringify({ account_token: uniqueToken() }).padEnd(60_000);
  const head = "POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
  return `${head}\r\n${fields}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

let server: TestServer;
let holder: LockHolder;
let connection: RawConnection;

beforeEach(async () => {
  const location = await createTestDatabase("postgres");
  server = await serveDatabase(location, { managesPools: false });
  holder = await openLockHolder(location.url);
  await holder.hold("lock table accounts in access exclusive mode");
});

afterEach(async () => {
  connection.socket.destroy();
  await server.stop();
  await holder[Symbol.asyncDispose]();
});

/** Opens the connection, sends the requests, and waits until the server handles the first one. */
async function sendRequests(fields = ""): Promise<void> {
  connection = new RawConnection(server.port, Array.from({ length: COUNT }, () => chunkedPost(fields)).join(""));
  await expect.poll(countInFlight).toBe(1);
}

function countInFlight(): Promise<number> {
  return readMetric(server.opsUrl, "calltrack_requests_in_flight");
}

test("handles pipelined requests one at a time and answers all of them", async () => {
  await sendRequests();
  for (let turn = 0; turn < 20; turn++) expect(await countInFlight()).toBe(1);
  await holder.release();
  await expect.poll(() => connection.text.match(/HTTP\/1\.1 201 Created/g)?.length).toBe(COUNT);
});

test("answers subsequent pipelined requests without bodies", async () => {
  await sendRequests();
  const get = `GET /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\nx: ${"x".repeat(10_000)}\r\n\r\n`;
  connection.socket.write(get.repeat(COUNT));
  await holder.release();
  await expect.poll(() => connection.text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(COUNT);
});

test("rejects CONNECT after the responses to earlier requests", async () => {
  await sendRequests();
  connection.socket.write("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n");
  await holder.release();
  await connection.closed;
  expect(connection.text.match(/HTTP\/1\.1 \d+/g)).toEqual([...Array(COUNT).fill("HTTP/1.1 201"), "HTTP/1.1 405"]);
});

test("does not handle pipelined requests after their connection is closed", async () => {
  // The request in flight waits for the lock until its deadline, even without its connection.
  await sendRequests("x-server-timeout: 2\r\n");
  connection.socket.destroy();
  await expect.poll(countInFlight).toBe(0);
  await holder.release();
  const { entries } = await createJsonClient(server.url).listAccounts();
  expect(entries.length).toBeLessThanOrEqual(1);
});
