import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createGrpcFrame } from "../testing/grpc-frame.js";
import { BODY_VARIANTS, type BodyVariant, type OpenBody, openBody } from "../testing/open-body.js";
import { startTestServer } from "../testing/test-server.js";

const KIB = 1024;

/** One method for each distinct limit on the body size. */
const METHODS = [
  {
    name: "a public visit",
    path: "/dni_manager/accounts/acme/properties/shop/visits",
    procedure: "/calltracking.v1.DniService/ReportVisit",
    maxBytes: 16 * KIB,
  },
  {
    name: "a method whose messages are small",
    path: "/call_tracking/accounts",
    procedure: "/calltracking.v1.AccountService/CreateAccount",
    maxBytes: 64 * KIB,
  },
  {
    name: "a batch",
    path: "/dni_manager/tracking_numbers:add",
    procedure: "/calltracking.v1.InventoryService/AddTrackingNumbers",
    maxBytes: 4096 * KIB,
  },
];

const server = await startTestServer("postgres", { managesPools: false });

afterAll(() => server.stop());

function open(way: BodyVariant, method: { readonly path: string; readonly procedure: string }, headers = {}) {
  const path = way.isRpc ? method.procedure : method.path;
  const body = openBody(way, { port: server.port, path, headers });
  onTestFinished(body.abandon);
  return body;
}

describe.each(METHODS)("$name is limited to $maxBytes bytes", (method) => {
  describe.each(BODY_VARIANTS)("over $name", (way) => {
    test("rejects a larger message before it is complete", async () => {
      const tooLarge = Buffer.alloc(method.maxBytes + 1, " ");
      const body = open(way, method);
      // The request never ends. If a frame declares the length of the message, only the start of the frame is sent.
      body.send(way.isEnveloped ? createGrpcFrame(tooLarge).subarray(0, 10) : tooLarge);
      expect(await body.answer).toMatchObject({
        ...(!way.isRpc && { status: 413 }),
        reason: "BODY_TOO_LARGE",
        text: expect.stringContaining(`must be at most ${method.maxBytes} bytes`),
      });
    });

    test("accepts a message of exactly that size", async () => {
      // A message that the server reads completely, and then rejects for its fields.
      const largest = way.contentType.endsWith("json")
        ? Buffer.from("{}".padEnd(method.maxBytes))
        : longString(method.maxBytes);
      const body = open(way, method);
      body.send(way.isEnveloped ? createGrpcFrame(largest) : largest);
      body.end();
      expect(await body.answer).toMatchObject({ reason: "FIELD_INVALID" });
    });

    test("applies the limit to the decompressed size", async () => {
      const compressed = gzipSync(Buffer.alloc(method.maxBytes + 1, " "));
      const coding = way.isEnveloped ? "grpc-encoding" : "content-encoding";
      const body = open(way, method, { [coding]: "gzip" });
      body.send(way.isEnveloped ? createGrpcFrame(compressed, 1) : compressed);
      body.end();
      expect(await body.answer).toMatchObject({
        reason: "BODY_TOO_LARGE",
        text: expect.stringContaining(`must be at most ${method.maxBytes} bytes`),
      });
    });
  });
});

/** The batch methods, with the name and the proto field number of the field that contains the records. */
const BATCHES = [
  { field: "visits", number: 2, path: "/dni_manager/accounts/acme/visits", rpc: "TrafficService/RecordVisits" },
  {
    field: "pools",
    number: 2,
    path: "/dni_manager/accounts/acme/pools:batchCreate",
    rpc: "PoolService/BatchCreatePools",
  },
  { field: "calls", number: 1, path: "/dni_manager/calls:batch", rpc: "CallService/BatchCreateCalls" },
  {
    field: "tracking_numbers",
    number: 1,
    path: "/dni_manager/tracking_numbers:add",
    rpc: "InventoryService/AddTrackingNumbers",
  },
];

describe.each(BODY_VARIANTS)("a batch over $name", (way) => {
  test.each(BATCHES)("with more than 50 000 values is rejected before it is decoded: $field", async (batch) => {
    const body = open(way, { path: batch.path, procedure: `/calltracking.v1.${batch.rpc}` }, gzipOf(way));
    sendEmptyRecords(body, way, batch);
    const text = expect.stringContaining(`${batch.field} exceeds the limit of 50000 values in a request`);
    expect(await body.answer).toMatchObject({ ...(!way.isRpc && { status: 400 }), reason: "FIELD_INVALID", text });
  });
});

test.each(BODY_VARIANTS.filter(({ name }) => name.startsWith("gRPC")))(
  "a stream over $name is limited, too",
  async (way) => {
    const procedure = "/calltracking.v1.InventoryService/ImportTrackingNumbers";
    const body = open(way, { path: "", procedure }, gzipOf(way));
    sendEmptyRecords(body, way, { field: "tracking_numbers", number: 1 });
    expect(await body.answer).toMatchObject({
      reason: "FIELD_INVALID",
      text: expect.stringContaining("exceeds the limit"),
    });
  },
);

test("a message of a stream is limited by its method", async () => {
  const way = BODY_VARIANTS.find(({ name }) => name === "gRPC") as BodyVariant;
  const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const body = openBody(way, { port: server.port, path });
  onTestFinished(body.abandon);
  body.send(createGrpcFrame(Buffer.alloc(16 * KIB + 1)).subarray(0, 10));
  expect(await body.answer).toMatchObject({ reason: "BODY_TOO_LARGE" });
});

/** Returns the HTTP header that declares gzip compression. */
function gzipOf(way: BodyVariant) {
  return { [way.isEnveloped ? "grpc-encoding" : "content-encoding"]: "gzip" };
}

/** Sends 100 000 empty records, compressed to less than a kilobyte. */
function sendEmptyRecords(
  body: OpenBody,
  way: BodyVariant,
  batch: { readonly field: string; readonly number: number },
) {
  const count = 100_000;
  const records = way.contentType.endsWith("json")
    ? Buffer.from(`{"${batch.field}":[${Array(count).fill("{}").join()}]}`)
    : Buffer.alloc(2 * count, Buffer.of((batch.number << 3) | 2, 0));
  const compressed = gzipSync(records);
  body.send(way.isEnveloped ? createGrpcFrame(compressed, 1) : compressed);
  body.end();
}

/** A message of `bytes` bytes with a string in field 2, which every method rejects for its length. */
function longString(bytes: number): Buffer {
  const length = bytes - 5;
  const varint = [0, 7, 14, 21].map((shift) => ((length >> shift) & 0x7f) | (shift < 21 ? 0x80 : 0));
  return Buffer.concat([Buffer.from([0x12, ...varint]), Buffer.alloc(length, "x")]);
}
