import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { afterAll, describe, expect, test } from "vitest";
import { HTTP_VERSIONS, sendHttp } from "../../testing/http-request.js";
import { openSocket } from "../../testing/raw-connection.js";
import { readMetric } from "../../testing/read-metric.js";
import { startTestServer } from "../../testing/test-server.js";

const ACCOUNTS = "/call_tracking/accounts";

const limits = {
  maxRequests: 1,
  maxUrlBytes: 1024,
  maxHeaderBytes: 4096,
  headerTimeoutMs: 300,
  bodyTimeoutMs: 600,
  maxConnectionsPerAddress: 8,
};
const server = await startTestServer("postgres", { limits, managesPools: false });

afterAll(() => server.stop());

const refusals = (reason: string) => readMetric(server.opsUrl, `calltrack_refusals_total{reason="${reason}"}`);

const open = () => openSocket(server.port, "127.0.0.2");

describe.each(HTTP_VERSIONS)("over %s, counts requests that are rejected because of their heads", (version) => {
  test.each([
    ["URL_TOO_LARGE", 414, { target: `${ACCOUNTS}?page_token=${"x".repeat(1000)}` }],
    ["HEADERS_TOO_LARGE", 431, { target: ACCOUNTS, headers: { "x-large": "x".repeat(5000) } }],
  ])("%s", async (reason, status, request) => {
    const before = await refusals(reason);
    expect(await sendHttp(version, server.port, request)).toMatchObject({ status });
    expect(await refusals(reason)).toBe(before + 1);
  });

  test("REQUEST_TIMEOUT", async () => {
    const before = await refusals("REQUEST_TIMEOUT");
    if (version === "HTTP/2") {
      const session = connectHttp2(server.url);
      const stream = session.request({ ":method": "POST", ":path": ACCOUNTS, "content-type": "application/json" });
      await once(stream, "response");
      session.destroy();
    } else {
      const socket = await open();
      socket.write(`POST ${ACCOUNTS} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n`);
      await once(socket.resume(), "close");
    }
    expect(await refusals("REQUEST_TIMEOUT")).toBe(before + 1);
  });
});

test("counts bytes that are not HTTP as REQUEST_MALFORMED", async () => {
  const before = await refusals("REQUEST_MALFORMED");
  const socket = await open();
  socket.write("whatever this may be\r\n\r\n");
  await once(socket.resume(), "close");
  expect(await refusals("REQUEST_MALFORMED")).toBe(before + 1);
});

test("counts requests over the concurrency limit as OVERLOADED", async () => {
  const before = await refusals("OVERLOADED");
  const session = connectHttp2(server.url);
  const answers = Array.from({ length: 20 }, async () => {
    const [headers] = await once(session.request({ ":path": ACCOUNTS }).resume(), "response");
    return headers[":status"];
  });
  const refused = (await Promise.all(answers)).filter((status) => status === 503);
  session.close();
  expect(refused.length).toBeGreaterThan(0);
  expect(await refusals("OVERLOADED")).toBe(before + refused.length);
});

test("counts open connections, and those over the connection limit", async () => {
  const [isOpen, refused] = ["calltrack_connections", "calltrack_connections_refused_total"].map(
    (name) => () => readMetric(server.opsUrl, name),
  ) as [() => Promise<number>, () => Promise<number>];
  const before = { open: await isOpen(), refused: await refused() };
  const sockets = await Promise.all(Array.from({ length: 8 }, open));
  await expect.poll(isOpen).toBe(before.open + 8);
  await once((await open()).resume(), "close");
  expect(await refused()).toBe(before.refused + 1);
  for (const socket of sockets) socket.destroy();
  await expect.poll(isOpen).toBe(before.open);
});
