import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, test } from "vitest";
import { RawConnection } from "../testing/raw-connection.js";
import { RawHttp2Client } from "../testing/raw-http2.js";
import { readMetric } from "../testing/read-metric.js";
import { startTestServer } from "../testing/test-server.js";

const KB = 1000;

const PREFIX = Buffer.from([0, 0, 0, 0xc0, 0]);
const TEXT = Buffer.alloc(40 * KB, " ");
const MESSAGE = Buffer.concat([PREFIX, TEXT]);

const PROCEDURE = "/calltracking.v1.InventoryService/AddTrackingNumbers";
const WEBHOOK = "/telephony/019aa360-2b3c-7d4e-9f50-617283940a1b/voice";
const FORM = "application/x-www-form-urlencoded";

/** A request for every way in which the server handles a body: the method, the path, the content type and the body. */
const WAYS = {
  JSON: ["POST", "/dni_manager/tracking_numbers:add", "application/json", TEXT],
  "a public JSON path": [
    "POST",
    "/dni_manager/accounts/acme/properties/shop/visits",
    "application/json",
    TEXT.subarray(0, 15 * KB),
  ],
  "a JSON path without a body": ["GET", "/call_tracking/accounts", "application/json", TEXT],
  "a preflight": ["OPTIONS", "/dni_manager/accounts/acme/properties/shop/visits", "application/json", TEXT],
  Connect: ["POST", PROCEDURE, "application/proto", TEXT],
  "Connect with JSON": ["POST", PROCEDURE, "application/json", TEXT],
  gRPC: ["POST", PROCEDURE, "application/grpc", MESSAGE],
  "gRPC with JSON": ["POST", PROCEDURE, "application/grpc+json", MESSAGE],
  "gRPC-Web": ["POST", PROCEDURE, "application/grpc-web+proto", MESSAGE],
  "gRPC-Web text": ["POST", PROCEDURE, "application/grpc-web-text", MESSAGE],
  "a stream over gRPC": [
    "POST",
    "/calltracking.v1.InventoryService/ImportTrackingNumbers",
    "application/grpc",
    MESSAGE,
  ],
  "a stream over gRPC-Web": [
    "POST",
    "/calltracking.v1.InventoryService/ImportTrackingNumbers",
    "application/grpc-web+proto",
    MESSAGE,
  ],
  "a stream over Connect": [
    "POST",
    "/calltracking.v1.InventoryService/ImportTrackingNumbers",
    "application/connect+proto",
    MESSAGE,
  ],
  "an export over Connect": ["POST", "/calltracking.v1.PoolService/ExportPools", "application/connect+proto", MESSAGE],
  reflection: [
    "POST",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "application/grpc",
    Buffer.concat([Buffer.from([0, 0, 0, 0x3f, 0]), TEXT.subarray(0, 15 * KB)]),
  ],
  health: ["POST", "/grpc.health.v1.Health/Check", "application/grpc", MESSAGE],
  "a webhook": ["POST", WEBHOOK, FORM, TEXT],
  "a webhook with another type": ["POST", WEBHOOK, "application/json", TEXT],
  "an unknown webhook": ["POST", "/telephony/1/voice", FORM, TEXT],
  "a page": ["POST", "/docs", "text/plain", TEXT],
  "the health page": ["GET", "/readyz", "text/plain", TEXT],
  "a file": ["GET", "/dni.js", "text/plain", TEXT],
  "the console": ["POST", "/console", FORM, TEXT],
  "an unknown path": ["POST", "/unknown", "text/plain", TEXT],
} as const;

/**
 * The ways to test over HTTP/1.1: those with separate code for reading, decoding, rejecting or discarding a body. The other ways receive the pieces
 * of a body with the same code.
 */
const HTTP1_WAYS = [
  ...(["JSON", "a JSON path without a body", "Connect", "a stream over Connect", "a webhook"] as const),
  ...(["a page", "an unknown path"] as const),
];

const server = await startTestServer("postgres", { managesPools: false });
afterAll(() => server.stop());

/** The number of concurrent bodies: enough to measure their memory in the memory of the process. */
const BODIES = 2;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * The maximum memory per byte of a body. It allows for garbage that a busy machine has not collected. A Buffer for each piece of one byte would take
 * about a hundred bytes.
 */
const MAX_BYTES_PER_BYTE = 40;

describe("a body in pieces of one byte takes little more memory than its size", () => {
  test.each(Object.entries(WAYS))("over HTTP/2: %s", async (_, [method, path, type, body]) => {
    const client = new RawHttp2Client(server.port);
    const fields = [
      [":method", method],
      [":scheme", "http"],
      [":authority", "localhost"],
      [":path", path],
      ["content-type", type],
    ] as const;
    await client.sendBytes(fields, body.subarray(0, 10));
    const before = usedBytes();
    for (let count = 0; count < BODIES; count++) await client.sendBytes(fields, body);
    expect((usedBytes() - before) / (BODIES * body.length)).toBeLessThan(MAX_BYTES_PER_BYTE);
    client.disconnect();
  });

  test.each(HTTP1_WAYS)("over HTTP/1.1: %s", async (way) => {
    const [method, path, type, body] = WAYS[way];
    const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunks = Array.from(body.toString("latin1"), (byte) => `1\r\n${byte}\r\n`).join("");
    const before = usedBytes();
    const connections = Array.from({ length: BODIES }, () => new RawConnection(server.port, head + chunks));
    const pending = () => readMetric(server.opsUrl, "calltrack_pending_body_bytes");
    const hasArrived = async () =>
      connections.every(({ text }) => text !== "") || (await pending()) === BODIES * body.length;
    await expect.poll(hasArrived).toBe(true);
    expect((usedBytes() - before) / (BODIES * body.length)).toBeLessThan(MAX_BYTES_PER_BYTE);
    for (const { socket } of connections) socket.destroy();
    await expect.poll(pending).toBe(0);
  });
});
