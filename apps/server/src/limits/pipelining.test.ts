import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openLockHolder } from "../testing/lock-holder.js";
import { metricValue } from "../testing/metric-value.js";
import { uniqueToken } from "../testing/request-fields.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase } from "../testing/test-server.js";

const COUNT = 40;

/** A request that `node:http` serves, as its body has no length; it is almost as large as one read of the socket. */
function chunkedPost(): string {
  const body = JSON.stringify({ account_token: uniqueToken() }).padEnd(60_000);
  const head = "POST /call_tracking/accounts HTTP/1.1\r\nhost: a\r\ncontent-type: application/json";
  return `${head}\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

test("requests that are pipelined are read as those before them are answered, and all are answered in turn", async () => {
  const location = await createTestDatabase("postgres");
  const server = await serveDatabase(location, { managesPools: false });
  await using holder = await openLockHolder(location.kind === "postgres" ? location.url : "");
  await holder.hold("lock table accounts in access exclusive mode");
  let text = "";
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  for (let count = 0; count < COUNT; count++) socket.write(chunkedPost());
  // One of them is that which asks.
  const inFlight = () => metricValue(server.url, "calltrack_requests_in_flight");
  await expect.poll(inFlight).toBeGreaterThan(1);
  for (let turn = 0; turn < 20; turn++) expect(await inFlight()).toBeLessThan(COUNT / 2);
  await holder.release();
  await expect.poll(() => text.match(/HTTP\/1\.1 201 Created/g)?.length).toBe(COUNT);
  await server.stop();
});
