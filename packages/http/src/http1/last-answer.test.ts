import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Http1Connection } from "./http1-connection.js";
import type { Http1Exchange } from "./http1-exchange.js";

/** Serves connections whose requests are all plain. */
async function listen(handle: (exchange: Http1Exchange) => void) {
  const connections: Http1Connection[] = [];
  const handOver = () => expect.unreachable();
  const server = createServer((socket) => {
    connections.push(new Http1Connection(socket, { handle, handOver, maxHeadBytes: 4096 }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections };
}

/** Sends bytes, and gives what comes until the server ends the connection. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(bytes);
  let received = "";
  for await (const chunk of socket) received += chunk;
  return received;
}

const get = (target: string, fields = "") => `GET ${target} HTTP/1.1\r\nhost: a\r\n${fields}\r\n`;

const DONE = /^HTTP\/1\.1 200 [\s\S]*connection: close\r\n\r\ndone$/;

test("close waits for the answer to the request in progress, also if nothing was sent behind it", async () => {
  const requests: Http1Exchange[] = [];
  const { port, connections } = await listen((request) => void requests.push(request));
  const answer = exchange(port, get("/"));
  await expect.poll(() => requests.length).toBe(1);
  connections[0]?.close();
  requests[0]?.respond(200, {}, "done");
  expect(await answer).toMatch(DONE);
});

test.each([
  ["the client asked for", get("/last", "connection: close\r\n"), () => {}],
  ["close makes the last", get("/last"), (connection: Http1Connection) => connection.close()],
  ["retire makes the last", get("/last"), (connection: Http1Connection) => connection.retire()],
])("no request behind the one that %s is handled", async (_, last, end) => {
  const targets: string[] = [];
  const { port, connections } = await listen((request) => {
    targets.push(request.target);
    end(connections[0] as Http1Connection);
    request.respond(200, {}, "done");
  });
  expect(await exchange(port, last + get("/behind"))).toMatch(DONE);
  expect(targets).toEqual(["/last"]);
});
