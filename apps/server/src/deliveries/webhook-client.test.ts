import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type LookupFunction, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTlsFiles } from "../testing/tls-files.js";
import { WebhookClient } from "./webhook-client.js";

/** The number of requests to a private address, which the client must reject. */
let reached = 0;
let plain: Server;
let encrypted: Server;
const portOf = (server: Server) => (server.address() as AddressInfo).port;
const never = new AbortController().signal;

beforeAll(async () => {
  const { certificate } = await createTlsFiles();
  const answer = (_: unknown, response: { end(): void }) => {
    reached++;
    response.end();
  };
  plain = createServer(answer);
  encrypted = createTlsServer(certificate, answer);
  for (const server of [plain, encrypted]) await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});

afterAll(() => {
  plain.close();
  encrypted.close();
});

/** Creates a lookup function that ignores the host name and returns the next list of addresses at each lookup. */
function resolveTo(...answers: readonly (readonly string[])[]): LookupFunction {
  let count = 0;
  return (_, options, callback) => {
    const found = (answers[count++] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? "", found[0]?.family);
  };
}

const send = (client: WebhookClient, url: string) => client.post(url, {}, "{}", never);

test.each([
  ["127.0.0.1"],
  ["169.254.169.254"],
  ["::1"],
  ["::ffff:127.0.0.1"],
  ["10.0.0.1"],
  // One private address among several is enough to reject the name.
  ["8.8.8.8", "127.0.0.1"],
  ["2606:4700:4700::1111", "::1"],
])("does not connect to a name with the addresses %s %s", async (...addresses) => {
  const client = new WebhookClient(false, "1", resolveTo(addresses));
  const answer = await send(client, `https://receiver.example:${portOf(encrypted)}/`);
  expect(answer).toMatchObject({
    status: undefined,
    failure: "the receiver's address is not public, and WEBHOOKS_ALLOW_PRIVATE is off: use a public address",
  });
  client.close();
});

test("checks the addresses of the name for every connection, because they can change", async () => {
  const lookUps: string[] = [];
  const resolve = resolveTo(["10.0.0.1"], ["127.0.0.1"]);
  const client = new WebhookClient(false, "1", (hostname, options, callback) => {
    lookUps.push(hostname);
    resolve(hostname, options, callback);
  });
  for (let count = 0; count < 2; count++) {
    const { failure } = await send(client, `https://receiver.example:${portOf(encrypted)}/`);
    expect(failure).toContain("the receiver's address is not public");
  }
  expect(lookUps).toEqual(["receiver.example", "receiver.example"]);
  client.close();
});

test.each([
  "https://127.0.0.1",
  "https://2130706433",
  "https://0x7f000001",
  "https://0177.0.0.1",
  "https://[::1]",
  "https://[::ffff:127.0.0.1]",
  "http://127.0.0.1",
  "http://localhost",
  "https://localhost",
])("does not connect to %s", async (origin) => {
  const client = new WebhookClient(false, "1");
  const port = portOf(origin.startsWith("https") ? encrypted : plain);
  expect((await send(client, `${origin}:${port}/`)).failure).toContain("the receiver's address is not public");
  client.close();
});

test("sent no request to a private address in these tests", () => {
  expect(reached).toBe(0);
});

test("connects to private addresses if they are allowed, but rejects untrusted certificates", async () => {
  const client = new WebhookClient(true, "1");
  expect(await send(client, `http://localhost:${portOf(plain)}/`)).toMatchObject({ status: 200, failure: undefined });
  expect((await send(client, `https://localhost:${portOf(encrypted)}/`)).failure).toMatch(
    /^the request failed: .*CERT/,
  );
  client.close();
});

test("says in words why a request failed", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => closed.once("listening", done));
  const port = portOf(closed);
  await new Promise((done) => closed.close(done));
  const client = new WebhookClient(true, "1");
  expect((await send(client, `http://127.0.0.1:${port}/`)).failure).toBe("the receiver refused the connection");
  expect((await send(client, "http://receiver.invalid/")).failure).toMatch(/^the receiver's host name does not re/);
  client.close();
});

test.each([
  [
    "switches protocols",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "the receiver answered 101",
  ],
  ["is no HTTP", "<html></html>", "the request failed: HPE_INVALID_CONSTANT"],
  [
    "has a large header",
    `HTTP/1.1 200 OK\r\nx: ${"x".repeat(100_000)}\r\n\r\n`,
    "the request failed: HPE_HEADER_OVERFLOW",
  ],
  ["is cut off", "HTTP/1.1 200 OK\r\n", "the receiver closed the connection without an answer"],
  ["has a malformed body", "HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "the receiver answered 500"],
])("ends an attempt whose answer %s", async (_, answer, failure) => {
  const receiver = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => (failure.endsWith("101") ? socket.write(answer) : socket.end(answer)));
  }).listen(0, "127.0.0.1");
  await new Promise((done) => receiver.once("listening", done));
  const client = new WebhookClient(true, "1");
  expect((await send(client, `http://127.0.0.1:${portOf(receiver)}/`)).failure).toContain(failure);
  client.close();
  receiver.close();
});

test("keeps a short beginning of a long answer, and reads no more than the limit", async () => {
  const endless = createServer((_, response) => {
    response.writeHead(500);
    const more = () => (response.write("☎".repeat(1000)) ? setImmediate(more) : response.once("drain", more));
    more();
  }).listen(0, "127.0.0.1");
  await new Promise((done) => endless.once("listening", done));
  const client = new WebhookClient(true, "1");
  const { body } = await send(client, `http://127.0.0.1:${portOf(endless)}/`);
  expect(body).toBe("☎".repeat(341));
  client.close();
  endless.closeAllConnections();
  endless.close();
});
