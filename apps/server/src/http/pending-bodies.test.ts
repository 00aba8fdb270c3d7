import { connect } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { ImportTrackingNumbersRequestSchema } from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../config/config.js";
import { createGrpcFrame } from "../testing/grpc-frame.js";
import { HTTP_VERSIONS } from "../testing/http-request.js";
import { BODY_VARIANTS, type BodyVariant, type OpenBody, openBody } from "../testing/open-body.js";
import { readMetric } from "../testing/read-metric.js";
import { uniqueToken } from "../testing/request-fields.js";
import type { TestServer } from "../testing/test-server.js";
import { withLimits } from "../testing/with-limits.js";

const KB = 1000;
const LIMITS = { maxPendingBodyBytesPerAddress: 600 * KB, maxPendingBodyBytes: 1000 * KB };

const JSON_PATH = "/dni_manager/tracking_numbers:add";
const PROCEDURE = "/calltracking.v1.InventoryService/AddTrackingNumbers";
const STREAM = "/calltracking.v1.InventoryService/ImportTrackingNumbers";

/** A request with an incomplete body. */
interface PartialBody extends OpenBody {
  finish(): void;
}

/** The number of missing bytes of an incomplete body. */
const REST = 100;

/** Sends the first `bytes` bytes of a body to a method that accepts large bodies. The body has `REST` more bytes. */
function sendPart(
  way: BodyVariant,
  server: TestServer,
  bytes: number,
  localAddress = "127.0.0.2",
  headers = {},
): PartialBody {
  const body = bodyOf(way, bytes + REST);
  const length = way.version === "HTTP/1.1" && { "content-length": String(body.length) };
  const target = { port: server.port, path: way.isRpc ? PROCEDURE : JSON_PATH, localAddress };
  const open = openBody(way, { ...target, headers: { ...length, ...headers } });
  onTestFinished(open.abandon);
  open.send(body.subarray(0, bytes));
  const finish = () => {
    open.send(body.subarray(bytes));
    open.end();
  };
  return { ...open, finish };
}

/** Returns a body of `bytes` bytes, which the method rejects because of its fields. */
function bodyOf({ contentType, isEnveloped }: BodyVariant, bytes: number): Buffer {
  const length = isEnveloped ? bytes - 5 : bytes;
  const message = contentType.endsWith("json") ? Buffer.from("{}".padEnd(length)) : longRequestId(length);
  return isEnveloped ? createGrpcFrame(message) : message;
}

/** Encodes an AddTrackingNumbersRequest that has only a request_id, which is too long. */
function longRequestId(bytes: number): Buffer {
  const length = bytes - 4;
  const head = [0x12, 0x80 | (length & 0x7f), 0x80 | ((length >> 7) & 0x7f), length >> 14];
  return Buffer.concat([Buffer.from(head), Buffer.alloc(length, "x")]);
}

/** An ImportTrackingNumbers message of more than 50 KB. */
const NUMBERS = createGrpcFrame(
  toBinary(
    ImportTrackingNumbersRequestSchema,
    create(ImportTrackingNumbersRequestSchema, {
      trackingNumbers: Array.from({ length: 2500 }, (_, at) => ({
        phoneNumber: `+1222555${1000 + at}`,
        areaCode: "222",
      })),
    }),
  ),
);

const pendingBytes = (server: TestServer) => readMetric(server.opsUrl, "calltrack_pending_body_bytes");

/** Waits until the server has this many pending body bytes. */
async function arrived(server: TestServer, bytes: number): Promise<void> {
  await expect.poll(() => pendingBytes(server)).toBe(bytes);
}

/** Waits until the server has no pending body bytes. */
const givenBack = (server: TestServer) => arrived(server, 0);

async function expectOverloaded({ answer }: OpenBody): Promise<void> {
  const { status, headers, reason, text } = await answer;
  expect({ status, reason }).toEqual({ status: expect.toBeOneOf([200, 503]), reason: "OVERLOADED" });
  // A gRPC response has HTTP status 200, and its own status is UNAVAILABLE (14).
  if (status === 200) expect(`grpc-status: ${headers["grpc-status"]}\n${text}`).toMatch(/^grpc-status: ?14\r?$/m);
  expect(`retry-after: ${headers["retry-after"]}\n${text}`).toMatch(/^retry-after: ?1\r?$/m);
}

/** Sends the rest of the body, and asserts that the request reaches the method, which rejects the fields. */
async function expectServed(body: PartialBody): Promise<void> {
  body.finish();
  expect(await body.answer).toMatchObject({ reason: "FIELD_INVALID" });
}

describe(
  "pending bodies",
  withLimits(LIMITS, (server) => {
    describe.each(BODY_VARIANTS)("over $name", (way) => {
      test("over the limit of an address: the largest body is rejected, the others are served", async () => {
        const first = sendPart(way, server(), 130 * KB);
        const small = sendPart(way, server(), 20 * KB);
        const elsewhere = sendPart(way, server(), 100 * KB, "127.0.0.3");
        await arrived(server(), 250 * KB);
        const largest = sendPart(way, server(), 590 * KB);
        await expectOverloaded(largest);
        for (const body of [first, small, elsewhere]) await expectServed(body);
        await givenBack(server());
      });

      test("over the total limit: the largest body from the client with the most bytes is rejected, the others are served", async () => {
        const most = sendPart(way, server(), 550 * KB);
        const other = sendPart(way, server(), 400 * KB, "127.0.0.3");
        await arrived(server(), 950 * KB);
        const late = sendPart(way, server(), 100 * KB, "127.0.0.4");
        await expectOverloaded(most);
        for (const body of [other, late]) await expectServed(body);
        await givenBack(server());
      });

      test("are released when their clients disconnect", async () => {
        const bodies = [300 * KB, 50 * KB].map((bytes) => sendPart(way, server(), bytes));
        await arrived(server(), 350 * KB);
        for (const body of bodies) body.abandon();
        await givenBack(server());
      });
    });

    test.each(HTTP_VERSIONS)(
      "do not block other requests over %s while attackers use up the limit",
      async (version) => {
        const attack = BODY_VARIANTS.flatMap((way) =>
          [2, 3, 4].map((last) => sendPart(way, server(), 300 * KB, `127.0.0.${last}`)),
        );
        await Promise.any(attack.map(expectOverloaded));
        for (const localAddress of ["127.0.0.2", "127.0.0.9"]) {
          const body = Buffer.from(JSON.stringify({ account_token: uniqueToken() }));
          const way = BODY_VARIANTS.find((each) => each.version === version) as BodyVariant;
          const honest = openBody(way, { port: server().port, path: "/call_tracking/accounts", localAddress });
          honest.send(body);
          honest.end();
          expect(await honest.answer).toMatchObject({ status: 201 });
        }
        for (const body of attack) body.abandon();
        await givenBack(server());
      },
    );

    test("over the limit are counted in the metrics", async () => {
      const count = () => readMetric(server().opsUrl, 'calltrack_refusals_total{reason="OVERLOADED"}');
      const before = await count();
      await Promise.all(BODY_VARIANTS.map((way) => expectOverloaded(sendPart(way, server(), 700 * KB))));
      expect(await count()).toBe(before + BODY_VARIANTS.length);
    });

    test("include chunked HTTP/1.1 bodies", async () => {
      const way = BODY_VARIANTS[0] as BodyVariant;
      const open = openBody(way, { port: server().port, path: JSON_PATH });
      open.send(Buffer.alloc(200 * KB, " "));
      await arrived(server(), 200 * KB);
      open.send(Buffer.alloc(500 * KB, " "));
      await expectOverloaded(open);
      await givenBack(server());
    });

    test("of streams include only the incomplete message", async () => {
      const grpc = BODY_VARIANTS.find(({ name }) => name === "gRPC") as BodyVariant;
      const stream = openBody(grpc, { port: server().port, path: STREAM });
      onTestFinished(stream.abandon);
      // If complete messages counted, their total would exceed the limit.
      for (let turn = 0; turn < 14; turn++) stream.send(NUMBERS);
      stream.send(NUMBERS.subarray(0, 40 * KB));
      await arrived(server(), 40 * KB);
      const other = sendPart(BODY_VARIANTS[0] as BodyVariant, server(), 100 * KB);
      await arrived(server(), 140 * KB);
      stream.abandon();
      await expectServed(other);
      await givenBack(server());
    });

    test("are released when the request is rejected for another reason", async () => {
      const way = BODY_VARIANTS[0] as BodyVariant;
      const tooLarge = openBody(way, { port: server().port, path: "/call_tracking/accounts" });
      tooLarge.send(Buffer.alloc(80 * KB, " "));
      expect(await tooLarge.answer).toMatchObject({ status: 413, reason: "BODY_TOO_LARGE" });
      await givenBack(server());
    });

    test("are released when a body that arrived in two parts is complete", async () => {
      const socket = connect(server().port, "127.0.0.1");
      socket.write("POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{");
      socket.write(`"account_token":"${uniqueToken()}"}`.padEnd(99));
      await new Promise((resolve) => socket.once("data", resolve));
      socket.destroy();
      await givenBack(server());
    });
  }),
);

describe(
  "behind a trusted proxy",
  withLimits(
    { ...LIMITS, trustedProxies: readConfig({ TRUSTED_PROXIES: "127.0.0.0/8" }).limits.trustedProxies },
    (server) => {
      test.each(BODY_VARIANTS)("counts pending bodies by forwarded address, over $name", async (way) => {
        const from = (last: number) => ({ "x-forwarded-for": `192.0.2.${last}` });
        const honest = [1, 2, 3].map((last) => sendPart(way, server(), 150 * KB, "127.0.0.2", from(last)));
        await arrived(server(), 450 * KB);
        const one = sendPart(way, server(), 300 * KB, "127.0.0.2", from(4));
        await arrived(server(), 750 * KB);
        const another = sendPart(way, server(), 240 * KB, "127.0.0.3", from(4));
        await arrived(server(), 990 * KB);
        const last = sendPart(way, server(), 100 * KB, "127.0.0.3", from(5));
        await expectOverloaded(one);
        for (const body of [...honest, another, last]) await expectServed(body);
        await givenBack(server());
      });
    },
  ),
);

describe(
  "bodies that exceed the timeout",
  withLimits({ ...LIMITS, bodyTimeoutMs: 1000, headerTimeoutMs: 1000 }, (server) => {
    test.each(BODY_VARIANTS)("are released, over $name", async (way) => {
      const body = sendPart(way, server(), 100 * KB);
      await body.answer.catch(() => {});
      await givenBack(server());
    });
  }),
);
