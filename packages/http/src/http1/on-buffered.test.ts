import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createPeer } from "../peer.js";
import { Http1Connection } from "./http1-connection.js";
import type { Http1Exchange } from "./http1-exchange.js";

const HEAD = "POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n";

interface Options {
  readonly handle?: (request: Http1Exchange) => void;
  readonly onBuffered?: (connection: Http1Connection, bytes: number) => void;
}

/** Opens a connection, and records the reported numbers of buffered bytes. */
async function open({ handle = (request) => request.respond(200, {}, "own"), onBuffered }: Options = {}) {
  const reports: number[] = [];
  const connections: Http1Connection[] = [];
  const server = createServer((request, response) => request.resume().on("end", () => response.end("node")));
  const [serve] = server.listeners("connection");
  server.removeAllListeners("connection").on("connection", (socket: Socket) => {
    const handOver = () => serve?.call(server, socket);
    const report = (connection: Http1Connection, bytes: number) => {
      reports.push(bytes);
      onBuffered?.(connection, bytes);
    };
    const peer = createPeer(socket);
    connections.push(new Http1Connection(socket, { handle, handOver, maxHeadBytes: 4096, onBuffered: report, peer }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.setEncoding("latin1").setNoDelay();
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  socket.on("error", () => {});
  return { socket, reports, connections };
}

test("reports nothing for requests that arrive complete", async () => {
  const { socket, reports } = await open();
  socket.write(`${HEAD}${"a".repeat(100)}`.repeat(3));
  let text = "";
  while (text.split("own").length < 4) text += (await once(socket, "data"))[0];
  expect(reports).toEqual([]);
});

test("reports the bytes of an incomplete request until the rest arrives", async () => {
  const { socket, reports } = await open();
  socket.write(HEAD.slice(0, 10));
  await expect.poll(() => reports[0]).toBe(10);
  socket.write(HEAD.slice(10) + "a".repeat(100));
  await once(socket, "data");
  expect(reports).toEqual([10, 0]);
});

test("reports pipelined requests beyond the read-ahead limit, and closes the connection to free them", async () => {
  const { socket, reports, connections } = await open({ handle: () => {} });
  socket.write(`${HEAD}${"a".repeat(100)}`.repeat(5000));
  await expect.poll(() => reports[0]).toBeGreaterThan(64 * 1024);
  connections[0]?.freeBuffer();
  await expect.poll(() => reports.slice(1)).toEqual([0]);
});

test("hands over the connection to free an incomplete request", async () => {
  const { socket, reports } = await open({ onBuffered: (connection, bytes) => bytes > 0 && connection.freeBuffer() });
  socket.write(HEAD);
  await expect.poll(() => reports).toEqual([HEAD.length, 0]);
  socket.write("a".repeat(100));
  expect((await once(socket, "data"))[0]).toContain("node");
});

test("reports 0 bytes when the client disconnects", async () => {
  const { socket, reports } = await open();
  socket.write(HEAD);
  await expect.poll(() => reports[0]).toBe(HEAD.length);
  socket.destroy();
  await expect.poll(() => reports).toEqual([HEAD.length, 0]);
});
