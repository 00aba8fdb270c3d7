import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { openSocket } from "../testing/raw-connection.js";
import { startTestServer } from "../testing/test-server.js";

const ACCOUNTS = "/call_tracking/accounts";

test("a client that stops sending its request delays a server's stop by at most the request timeout", async () => {
  const server = await startTestServer("postgres", { limits: { requestTimeoutMs: 500 }, managesPools: false });
  const socket = await openSocket(server.port);
  socket.write(`POST ${ACCOUNTS} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{`);
  // Waits long enough for the server to read the request head.
  await pause(200);
  const closed = once(socket, "close");
  await expect(server.stop()).resolves.toBeUndefined();
  await closed;
});

test("a client that does not read responses delays a server's stop by at most the send timeout", async () => {
  const server = await startTestServer("postgres", { limits: { sendTimeoutMs: 500 }, managesPools: false });
  await sql`insert into accounts (account_token) select 'account ' || n from generate_series(1, 3000) n`.execute(
    server.database.kysely,
  );
  const socket = await openSocket(server.port);
  socket.pause().write(`GET ${ACCOUNTS} HTTP/1.1\r\nhost: localhost\r\n\r\n`.repeat(500));
  // The socket buffers are full when the number of received bytes no longer grows.
  for (let sent = -1, before = -2; sent !== before; ) {
    await pause(300);
    [before, sent] = [sent, socket.bytesRead];
  }
  await expect(server.stop()).resolves.toBeUndefined();
  socket.destroy();
});
