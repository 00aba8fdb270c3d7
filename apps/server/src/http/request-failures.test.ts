import { connect } from "node:net";
import { pino } from "pino";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { createServerMetrics } from "../observability/metrics/server-metrics.js";
import type { RequestTracer } from "../observability/tracing/request-tracer.js";
import { readRpcOutcome } from "../testing/fuzz/rpc-outcome.js";
import { WireClient } from "../testing/fuzz/wire-client.js";
import { createGrpcFrame } from "../testing/grpc-frame.js";
import { HTTP_VERSIONS } from "../testing/http-request.js";
import { RawHttp2Client } from "../testing/raw-http2.js";
import { readMetric } from "../testing/read-metric.js";
import { startTestServer } from "../testing/test-server.js";
import type { PageHandler } from "./page-handler.js";

/** The numeric value of the level `error` in pino's log lines. */
const ERROR = 50;
const GET = { verb: "GET", headers: {}, body: undefined } as const;
const UNTRACED: Pick<RequestTracer, "serve" | "end"> = { serve: (_, serve) => serve(), end: ignore };

function fail(): never {
  throw new Error("thrown by a test");
}

function ignore(): void {}

/** Yields the pieces of a body, and then throws an error. */
async function* failingBody(pieces: readonly string[]): AsyncGenerator<string> {
  yield* pieces;
  fail();
}

async function* emptyBody(): AsyncGenerator<string> {}

async function* endlessBody(): AsyncGenerator<string> {
  yield "piece";
  await new Promise(ignore);
}

/** Pages that throw before their response has begun. */
const FAILING: Readonly<Record<string, PageHandler>> = {
  "/handler": fail,
  "/promise": async () => fail(),
  "/body-data": (request) => request.receive({ onData: fail, onEnd: ignore, onAbort: ignore }),
  "/body-end": (request) => request.receive({ onData: ignore, onEnd: fail, onAbort: ignore }),
  "/header-value": (request) => request.respond(200, { "x-bad": "\x01" }),
  "/header-name": (request) => request.respond(200, { "x bad": "" }),
  "/stream-header-value": (request) => request.stream(200, { "x-bad": "\x01" }, failingBody([])),
};

/** Pages that throw after their response has begun. */
const CUT_OFF: Readonly<Record<string, PageHandler>> = {
  "/first-piece": (request) => request.stream(200, {}, failingBody([])),
  "/later-piece": (request) => request.stream(200, {}, failingBody(["piece"])),
  "/trailers": (request) => request.stream(200, {}, emptyBody(), fail),
  "/trailer-value": (request) => request.stream(200, {}, emptyBody(), () => ({ "x-bad": "\x01" })),
  "/trailer-name": (request) => request.stream(200, {}, emptyBody(), () => ({ "x bad": "" })),
  "/after-headers": (request) => {
    void request.stream(200, {}, endlessBody());
    fail();
  },
};

/** Pages that throw when the client disconnects. */
const ABANDONED: Readonly<Record<string, PageHandler>> = {
  "/gone": (request) => void request.onGone(fail),
  "/body-abort": (request) => request.receive({ onData: ignore, onEnd: ignore, onAbort: fail }),
};

/** The ways in which an HTTP/2 client disconnects. */
const LEAVE: Readonly<Record<string, (client: RawHttp2Client) => void>> = {
  "resets its stream": (client) => client.reset(),
  "breaks the protocol": (client) => client.breakProtocol(),
  disconnects: (client) => client.disconnect(),
};

/** Holds the function `release`, which sends the response of the page `HELD`. */
const held = { release: ignore };
const HELD: PageHandler = (request) => {
  held.release = () => request.respond(200, {}, "held");
};

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly request_id?: string;
  readonly err?: { readonly message: string };
}

let lines: LogLine[] = [];
/** The log message for which the logger throws once. Empty if no message fails. */
let unloggable = "";
let isUnreadable = false;
let spans: Pick<RequestTracer, "serve" | "end"> = UNTRACED;

const write = (text: string) => {
  const line: LogLine = JSON.parse(text);
  if (line.msg === unloggable) {
    unloggable = "";
    fail();
  }
  lines.push(line);
};
const tracing: RequestTracer = {
  serve: (record, serve) => spans.serve(record, serve),
  end: (...span) => spans.end(...span),
  close: async () => {},
};
const pages = new Map(Object.entries({ ...FAILING, ...CUT_OFF, ...ABANDONED, "/held": HELD, "/silent": ignore }));
const { own, shared, read } = createServerMetrics();
const metrics = { own, shared, read: () => (isUnreadable ? fail() : read()) };
const server = await startTestServer("postgres", {
  limits: { requestTimeoutMs: 1000 },
  managesPools: false,
  parts: { log: pino({}, { write }), metrics, tracing, pages },
});
const client = new WireClient(server.port, 60_000);

afterEach(() => {
  lines = [];
  spans = UNTRACED;
  isUnreadable = false;
});

afterAll(async () => {
  client.close();
  await server.stop();
});

function failuresOf(id: string): readonly LogLine[] {
  return lines.filter(({ level, request_id }) => level >= ERROR && request_id === id);
}

/** Expects one error line for a request, and that the server answers the next request. */
async function expectContained(id: string): Promise<void> {
  await expect
    .poll(() => failuresOf(id))
    .toMatchObject([{ err: { message: expect.stringMatching(/thrown by a test|header|trailer/i) } }]);
  expect(lines.filter(({ level }) => level >= ERROR)).toHaveLength(1);
  const { status } = await client.send({ ...GET, version: "HTTP/2", target: "/healthz" });
  expect(status).toBe(200);
  await inFlight(0);
}

async function inFlight(count: number): Promise<void> {
  await expect.poll(() => readMetric(server.opsUrl, "calltrack_requests_in_flight")).toBe(count);
}

describe.each(HTTP_VERSIONS)("over %s", (version) => {
  const post = { version, verb: "POST", body: Buffer.from("body") } as const;

  test.each(Object.keys(FAILING))("answers a failure at %s with INTERNAL", async (target) => {
    for (const transfer of ["whole", "in two pieces", "in chunks"] as const) {
      lines = [];
      const headers = { "x-request-id": `${target} ${transfer}`.replaceAll(" ", "-") };
      const answer = await client.send({ ...post, target, headers, transfer });
      expect(answer).toMatchObject({ status: 500, end: "whole", headers });
      const { code, details } = readRpcOutcome("json", answer);
      expect([code, details.at(-1)?.reason]).toEqual(["INTERNAL", "INTERNAL"]);
      await expectContained(headers["x-request-id"]);
    }
  });

  test.each(Object.keys(FAILING))("answers a failure of a gRPC call at %s with INTERNAL", async (target) => {
    const headers = { "content-type": "application/grpc", "x-request-id": "grpc" };
    const answer = await client.send({ ...post, target, headers, body: createGrpcFrame(Buffer.alloc(4)) });
    expect(answer).toMatchObject({ status: 200, end: "whole", headers: { "x-request-id": "grpc" } });
    expect(readRpcOutcome("grpc", answer).code).toBe("INTERNAL");
    await expectContained("grpc");
  });

  test.each(Object.keys(CUT_OFF))("cuts off a response that fails at %s", async (target) => {
    const answer = await client.send({ ...post, target, headers: { "x-request-id": "cut" } });
    expect(answer.end).toMatch(version === "HTTP/2" ? /^reset [1-9]/ : /^closed$/);
    await expectContained("cut");
  });

  test("answers a failure in the deadline handler with INTERNAL", async () => {
    unloggable = "the server did not answer a request in time";
    const answer = await client.send({ ...GET, version, target: "/silent", headers: { "x-request-id": "late" } });
    expect(answer).toMatchObject({ status: 500, end: "whole" });
    await expectContained("late");
  });

  test("answers with INTERNAL if the tracer fails at the beginning of a request", async () => {
    spans = { ...UNTRACED, serve: (record, serve) => (record.id === "begun" ? fail() : serve()) };
    const answer = await client.send({ ...GET, version, target: "/healthz", headers: { "x-request-id": "begun" } });
    expect(answer).toMatchObject({ status: 500, end: "whole" });
    await expectContained("begun");
  });

  test("sends a response even if the tracer fails at the end of the request", async () => {
    spans = { ...UNTRACED, end: (record) => record.id === "ended" && fail() };
    const answer = await client.send({ ...GET, version, target: "/healthz", headers: { "x-request-id": "ended" } });
    expect(answer).toMatchObject({ status: 200, end: "whole" });
    await expectContained("ended");
  });
});

test.each(
  Object.keys(ABANDONED).flatMap((target) => Object.entries(LEAVE).map(([name, leave]) => ({ target, name, leave }))),
)("logs a failure at $target after an HTTP/2 client $name", async ({ target, leave }) => {
  const abandoned = new RawHttp2Client(server.port);
  const head = [
    [":method", "POST"],
    [":scheme", "http"],
    [":authority", "localhost"],
    [":path", target],
    ["x-request-id", "abandoned"],
  ] as const;
  void abandoned.send(head, "body", false);
  await inFlight(1);
  leave(abandoned);
  await expectContained("abandoned");
  abandoned.disconnect();
});

test.each([
  ["/gone", ""],
  ["/body-abort", "content-length: 9\r\n\r\nbody"],
])("logs a failure at %s after an HTTP/1.1 client disconnects", async (target, rest) => {
  const socket = connect(server.port, "127.0.0.1");
  socket.write(`POST ${target} HTTP/1.1\r\nhost: localhost\r\nx-request-id: abandoned\r\n${rest}\r\n\r\n`);
  await inFlight(1);
  socket.destroy();
  await expectContained("abandoned");
});

test("answers a failure of an operators' page with INTERNAL", async () => {
  isUnreadable = true;
  const response = await fetch(`${server.opsUrl}/metrics`);
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ error: { code: 500, status: "INTERNAL" } });
  expect(lines.filter(({ level }) => level >= ERROR)).toMatchObject([{ err: { message: "thrown by a test" } }]);
});

test.each(Object.keys(FAILING))(
  "keeps the other streams of a connection open after a failure at %s",
  async (target) => {
    const other = client.send({ ...GET, version: "HTTP/2", target: "/held" });
    await expect.poll(() => held.release).not.toBe(ignore);
    await client.send({ ...GET, version: "HTTP/2", verb: "POST", target, body: Buffer.from("body") });
    held.release();
    held.release = ignore;
    expect(await other).toMatchObject({ status: 200, end: "whole" });
  },
);
