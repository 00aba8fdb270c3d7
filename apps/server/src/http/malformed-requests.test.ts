import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { type AnswerForm, FUZZ_PROTOCOLS } from "../testing/fuzz/fuzz-protocol.js";
import { type RpcOutcome, readRpcOutcome } from "../testing/fuzz/rpc-outcome.js";
import { WireClient } from "../testing/fuzz/wire-client.js";
import { createGrpcFrame } from "../testing/grpc-frame.js";
import { HTTP_VERSIONS } from "../testing/http-request.js";
import { RawConnection } from "../testing/raw-connection.js";
import { createTestLog } from "../testing/test-log.js";
import { startTestServer } from "../testing/test-server.js";

// One method of each RPC kind, and a health check.
const UNARY = "calltracking.v1.DniService/ResolveNumbers";
const SERVER_STREAM = "calltracking.v1.PoolService/ExportPools";
const CLIENT_STREAM = "calltracking.v1.InventoryService/ImportTrackingNumbers";
const BIDI = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const CHECK = "grpc.health.v1.Health/Check";

const MAX_BODY_BYTES = 10 * 1024;

const { log, lines } = createTestLog();
const server = await startTestServer("postgres", { limits: { maxBodyBytes: MAX_BODY_BYTES }, parts: { log } });
const client = new WireClient(server.port, 60_000);

/** Unauthenticated clients can send all requests in this file. The requests must neither fill the log nor fire the alert on service failures. */
afterAll(async () => {
  client.close();
  const metrics = await (await fetch(`${server.opsUrl}/metrics`)).text();
  expect(metrics.match(/^calltrack_requests_total\{.*code="(?:INTERNAL|UNKNOWN|UNAVAILABLE|DATA_LOSS)".*$/gm)).toBe(
    null,
  );
  expect(lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  await server.stop();
});

interface Call {
  readonly version: (typeof HTTP_VERSIONS)[number];
  readonly form: AnswerForm;
  readonly method: string;
  readonly type: string;
  readonly body: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send({ version, form, method, type, body, headers }: Call): Promise<RpcOutcome> {
  const answer = await client.send({
    version,
    verb: "POST",
    target: `/${method}`,
    headers: { "content-type": type, ...headers },
    body,
  });
  expect(answer.end).toBe("whole");
  return readRpcOutcome(form, answer);
}

/** Returns the code and reason of an outcome. */
function summary({ code, details }: RpcOutcome): string {
  return `${code} ${details.find((detail) => detail["@type"].endsWith("ErrorInfo"))?.reason}`;
}

/** The protocols that post messages to the path of an RPC, except gRPC-Web text. */
const POSTED = FUZZ_PROTOCOLS.filter(
  ({ form, framing, contentType }) => contentType !== undefined && framing !== "base64" && form !== "json",
).map(({ contentType = "", ...protocol }) => ({ ...protocol, type: contentType }));

/** Bytes that are not a valid message: truncated, of another type, not UTF-8, or nested too deeply. */
const UNDECODABLE = {
  json: ["{", "\xff", '{"\\ud800": 1}', "[]", "[".repeat(200)],
  proto: ["\x0a\xff", "\x07", "\x0b", "\x0a\x01\xff", "\x0b".repeat(200)],
} as const;

const ENVELOPED = POSTED.filter(({ framing }) => framing === "envelope");

const GZIP = { "grpc-encoding": "gzip", "connect-content-encoding": "gzip" };

describe.each(HTTP_VERSIONS)("over %s", (version) => {
  /** Returns the methods that a protocol supports. */
  const methodsOf = (form: AnswerForm) => {
    const streams = version === "HTTP/2" ? [SERVER_STREAM, CLIENT_STREAM, BIDI] : [SERVER_STREAM, CLIENT_STREAM];
    if (form === "connect") return [UNARY];
    return form === "connect-stream" ? streams : [UNARY, ...streams];
  };

  test.each(POSTED)(
    "rejects undecodable bytes as INVALID_ARGUMENT in $name",
    async ({ codec, framing, form, type }) => {
      for (const method of methodsOf(form)) {
        for (const bytes of UNDECODABLE[codec]) {
          const message = Buffer.from(bytes, "latin1");
          const body = framing === "envelope" ? createGrpcFrame(message) : message;
          const outcome = await send({ version, form, type, method, body });
          expect(outcome.message.isWellFormed()).toBe(true);
          expect(summary(outcome), `${method} ${JSON.stringify(bytes)}`).toBe("INVALID_ARGUMENT BODY_MALFORMED");
          if (codec === "proto")
            expect(outcome.message).toMatch(/^the message must be a \S+ in protobuf binary format$/);
        }
      }
    },
  );

  test.each(ENVELOPED)("rejects a damaged envelope in $name", async ({ form, type }) => {
    for (const method of methodsOf(form)) {
      for (const [what, body, headers] of [
        ["a compressed message without an encoding", createGrpcFrame(Buffer.from("{}"), 1), {}],
        ["an uncompressed message with the compressed flag", createGrpcFrame(Buffer.from("{}"), 1), GZIP],
        ["a truncated compressed message", createGrpcFrame(gzipSync("{}").subarray(0, 10), 1), GZIP],
        ["half a message", createGrpcFrame(Buffer.from("{}")).subarray(0, 6), {}],
        ["half a prefix", Buffer.from([0, 0]), {}],
        ["an end of stream, without an encoding", createGrpcFrame(Buffer.from("{}"), 2), {}],
        ["trailers, without an encoding", createGrpcFrame(Buffer.from("grpc-status: 0"), 0x80), {}],
      ] as const) {
        const outcome = await send({ version, form, type, method, body, headers });
        const code = what.endsWith("without an encoding")
          ? "INTERNAL FRAME_MALFORMED"
          : "INVALID_ARGUMENT BODY_MALFORMED";
        expect(summary(outcome), `${method} ${what}`).toBe(code);
      }
    }
  });

  test.each(ENVELOPED)("rejects a large message as RESOURCE_EXHAUSTED in $name", async ({ form, type }) => {
    const large = Buffer.alloc(MAX_BODY_BYTES + 1);
    for (const method of methodsOf(form)) {
      for (const [body, headers] of [
        [createGrpcFrame(large), {}],
        [createGrpcFrame(gzipSync(large), 1), GZIP],
      ] as const) {
        const outcome = await send({ version, form, type, method, body, headers });
        expect(summary(outcome), method).toBe("RESOURCE_EXHAUSTED BODY_TOO_LARGE");
        expect(outcome.message).toContain(`must be at most ${MAX_BODY_BYTES} bytes`);
      }
    }
  });

  test.each(ENVELOPED)("rejects a malformed timeout and accepts a long one in $name", async ({ form, type, codec }) => {
    const [name, years] =
      form === "connect-stream" ? ["connect-timeout-ms", "9999999999"] : ["grpc-timeout", "99999999H"];
    const body = createGrpcFrame(Buffer.from(codec === "json" ? "{}" : ""));
    for (const method of methodsOf(form)) {
      const refused = await send({ version, form, type, method, body, headers: { [name]: "soon" } });
      expect(summary(refused), method).toBe("INVALID_ARGUMENT HEADER_MALFORMED");
      const taken = await send({ version, form, type, method, body, headers: { [name]: years } });
      expect(summary(taken), method).toBe(method === BIDI ? "OK undefined" : "INVALID_ARGUMENT FIELD_INVALID");
    }
  });

  test.each(["base64=1&message=%21", "base64=1&message=AAAA&compression=gzip", "message=%7B"])(
    "rejects an undecodable query as INVALID_ARGUMENT: %s",
    async (query) => {
      const target = `/${UNARY}?encoding=json&connect=v1&${query}`;
      const answer = await client.send({ version, verb: "GET", target, headers: {}, body: undefined });
      expect(summary(readRpcOutcome("connect", answer))).toBe("INVALID_ARGUMENT BODY_MALFORMED");
    },
  );

  test("rejects an unknown field of a health check", async () => {
    const message = Buffer.from('{"nothing": 1}');
    for (const { form, type, framing } of POSTED.filter(({ codec }) => codec === "json")) {
      if (form === "connect-stream") continue;
      const body = framing === "envelope" ? createGrpcFrame(message) : message;
      const outcome = await send({ version, form, method: CHECK, type, body });
      expect(summary(outcome), type).toBe("INVALID_ARGUMENT FIELD_INVALID");
      expect(outcome.message).toContain("nothing");
    }
  });

  test("quotes only a short part of a long request", async () => {
    const body = createGrpcFrame(Buffer.from(JSON.stringify({ ["x".repeat(9000)]: 1 })));
    for (const method of methodsOf("grpc")) {
      const { code, message } = await send({ version, form: "grpc", method, type: "application/grpc+json", body });
      expect(code).toBe("INVALID_ARGUMENT");
      expect(message.length).toBeLessThan(400);
    }
  });
});

describe("a request line with another version of HTTP", () => {
  test.each([
    "GET /call_tracking/accounts HTTP/2.0\r\nhost: localhost\r\n\r\n",
    "GET / HTTP/2.0\r\n\r\n",
    "POST /call_tracking/accounts HTTP/2.0\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n{}",
    "POST /call_tracking/accounts HTTP/2.0\r\nhost: localhost\r\nexpect: x\r\ncontent-length: 2\r\n\r\n{}",
    "GET /readyz HTTP/0.9\r\nhost: localhost\r\n\r\n",
    "GET /readyz HTTP/1.7\r\nhost: localhost\r\n\r\n",
  ])("is malformed: %j", async (head) => {
    // The second request shows that the connection ends.
    const connection = new RawConnection(server.port, `${head}GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    await connection.closed;
    expect(connection.text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 400"]);
    expect(connection.text).toContain("REQUEST_MALFORMED");
  });
});

test.each([
  ["that was not asked for its body", "expect: 100-continue\r\ncontent-length: 2", "{}"],
  ["with a large body", "content-length: 70000", " ".repeat(70_000)],
])("a request that follows a rejected one %s is not processed", async (_, fields, body) => {
  const accounts = async () => (await fetch(`${server.url}/call_tracking/accounts`)).json();
  const before = await accounts();
  const rejected = `POST /call_tracking/nothing HTTP/1.1\r\nhost: localhost\r\n${fields}\r\n\r\n${body}`;
  const account = JSON.stringify({ account_token: "follows" });
  const type = "content-type: application/json";
  const next = `POST /call_tracking/accounts HTTP/1.1\r\nhost: localhost\r\n${type}\r\ncontent-length: ${account.length}\r\n\r\n${account}`;
  const connection = new RawConnection(server.port, rejected + next);
  await connection.closed;
  expect(connection.text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 404"]);
  expect(await accounts()).toEqual(before);
});
