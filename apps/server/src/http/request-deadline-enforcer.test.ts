import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import type { NodeRequest } from "@calltrack/transcoding/node";
import { Code } from "@connectrpc/connect";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { HTTP_ERRORS_BY_REASON, INTERNAL_ERROR } from "../errors/http-errors.js";
import { registerRequestMetrics } from "../observability/requests/request-metrics.js";
import { type WireAnswer, WireClient, type WireRequest } from "../testing/fuzz/wire-client.js";
import { HTTP_VERSIONS } from "../testing/http-request.js";
import { createHttpServer } from "./http-server.js";
import { RequestDeadlineEnforcer } from "./request-deadline-enforcer.js";
import type { RequestHandler } from "./request-handler.js";
import { createRequestObserver } from "./request-observer.js";

const TIMEOUT_MS = 2000;
const LOG = pino({ level: "silent" });

type Handler = (request: NodeRequest) => void;

/** Starts a server with the handler `handle`, passes its port to `use`, and stops the server. */
async function withServer<T>(handle: Handler, use: (port: number) => Promise<T>): Promise<T> {
  const timeouts = { requestTimeoutMs: TIMEOUT_MS, headerTimeoutMs: 5000, bodyTimeoutMs: 6000, sendTimeoutMs: 5000 };
  const limits = { ...readConfig({}).limits, ...timeouts };
  const handler: RequestHandler = {
    handle: (request) => observe(request, () => handle(request)),
    refuse: (request, reason) => observe(request, () => HTTP_ERRORS_BY_REASON[reason].answer(request)),
    fail: (request) => INTERNAL_ERROR.answer(request),
  };
  const watch = new RequestDeadlineEnforcer(limits, handler, LOG);
  const observe = createRequestObserver(LOG, registerRequestMetrics(new Registry()), watch, undefined);
  const server = createHttpServer(handler, { limits });
  const result = await use(await server.listen(0, "127.0.0.1"));
  await server.close();
  watch.close();
  return result;
}

/** Sends a request to a server with the handler `handle`, and returns the response. */
function answerOf(handle: Handler, sent: Pick<WireRequest, "version"> & Partial<WireRequest>): Promise<WireAnswer> {
  return withServer(handle, async (port) => {
    const client = new WireClient(port, 60_000);
    const answer = await client.send({ verb: "GET", target: "/", headers: {}, body: undefined, ...sent });
    client.close();
    return answer;
  });
}

function reasonOf({ status, body }: WireAnswer): string {
  return `${status} ${JSON.parse(body.toString()).error.details[0].reason}`;
}

async function* never(first: string): AsyncIterable<string> {
  yield first;
  await new Promise(() => {});
}

async function* slowly(pieces: readonly string[]): AsyncIterable<string> {
  for (const piece of pieces) {
    yield piece;
    await pause(TIMEOUT_MS / 10);
  }
}

const NOTHING: Handler = () => {};

// Concurrent, because each test waits for timeouts on its own server.
describe.concurrent.each(HTTP_VERSIONS)("over %s, a request", (version) => {
  test("gets a response even if its handler does nothing", async () => {
    expect(reasonOf(await answerOf(NOTHING, { version }))).toBe("504 DEADLINE_EXCEEDED");
  });

  test("gets a response even if its handler does not read the body", async () => {
    const answer = await answerOf(NOTHING, { version, verb: "POST", body: Buffer.alloc(1024 * 1024) });
    expect(reasonOf(answer)).toBe("504 DEADLINE_EXCEEDED");
  });

  test("is cut off if its response makes no progress", async () => {
    const answer = await answerOf((request) => void request.stream(200, {}, never("the beginning")), {
      version,
    });
    expect(answer.status).toBe(200);
    expect(answer.end).toMatch(version === "HTTP/2" ? /^reset \d+$/ : /^closed$/);
    expect(answer.body.toString()).toBe("the beginning");
  });

  test("is not cut off while its response makes progress", async () => {
    const pieces = Array.from({ length: 25 }, (_, index) => `${index} `);
    const answer = await answerOf((request) => void request.stream(200, {}, slowly(pieces)), { version });
    expect(answer).toMatchObject({ status: 200, end: "whole" });
    expect(answer.body.toString()).toBe(pieces.join(""));
  });

  test("times out after the body timeout if its body is incomplete", async () => {
    const failures: unknown[] = [];
    const read: Handler = (request) =>
      request.receive({
        onData: (chunk) => request.consume(chunk.length),
        onEnd() {},
        onAbort: (error) => failures.push(error),
      });
    const answer = await answerOf(read, {
      version,
      verb: "POST",
      body: Buffer.from("x"),
      isCut: true,
    });
    expect(answer.status).toBe(408);
    expect(failures).toMatchObject([{ code: Code.Canceled }]);
  });
});

test("a client that reads nothing is disconnected, even if the server keeps writing", async () => {
  async function* body(): AsyncIterable<string> {
    for (;;) {
      yield "a piece";
      await pause(TIMEOUT_MS / 10);
    }
  }
  await withServer(
    (request) => void request.stream(200, {}, body()),
    async (port) => {
      const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } });
      const stream = session.request({ ":path": "/" }).on("error", () => {});
      await once(stream, "close");
      expect(stream.rstCode).toBe(8);
      session.destroy();
    },
  );
});
