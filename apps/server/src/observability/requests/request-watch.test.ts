import { setTimeout as pause } from "node:timers/promises";
import { createHttpServer, type Exchange } from "@calltrack/http";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../config/config.js";
import { DEADLINE_EXCEEDED, HTTP_ERRORS } from "../../errors/http-errors.js";
import { createFailureHandler } from "../../http/failure-handler.js";
import { observeExchanges } from "../../http/observe-exchanges.js";
import { HTTP_SERVERS, type HttpServerKind } from "../../testing/behaviour.js";
import { type WireAnswer, WireClient, type WireRequest } from "../../testing/fuzz/wire-client.js";
import { HTTP_VERSIONS } from "../../testing/http-request.js";
import { registerRequestMetrics } from "../metrics/request-metrics.js";
import { RequestWatch } from "./request-watch.js";

const TIMEOUT_MS = 2000;
const LOG = pino({ level: "silent" });

type Handler = (exchange: Exchange) => void;

/** Sends a request to a server with this handler, stops the server, and returns the response. */
async function answerOf(
  implementation: HttpServerKind,
  handle: Handler,
  request: Pick<WireRequest, "version"> & Partial<WireRequest>,
): Promise<WireAnswer> {
  const limits = { ...readConfig({}).limits, requestTimeoutMs: TIMEOUT_MS, headerTimeoutMs: 5000, bodyTimeoutMs: 6000 };
  const fail = createFailureHandler(LOG);
  const watch = new RequestWatch(TIMEOUT_MS, (exchange) => DEADLINE_EXCEEDED.answer(exchange), fail, LOG);
  const observe = observeExchanges(LOG, registerRequestMetrics(new Registry()), watch, undefined, fail);
  const server = createHttpServer(
    {
      handle: (exchange) => observe(exchange, () => handle(exchange)),
      refuse: (exchange, reason) => observe(exchange, () => HTTP_ERRORS[reason].answer(exchange)),
    },
    { implementation, limits },
  );
  const client = new WireClient(await server.listen(0, "127.0.0.1"), 25_000);
  const answer = await client.send({ verb: "GET", target: "/", headers: {}, body: undefined, ...request });
  client.close();
  await server.close();
  watch.close();
  return answer;
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

/** Reads and discards the body, and never responds. */
const DISCARD: Handler = (exchange) =>
  exchange.receive({ onData: (chunk) => exchange.consume(chunk.length), onEnd() {}, onAbort() {} });

// Concurrent, because each test waits for timeouts on its own server.
describe.concurrent.each(HTTP_SERVERS)("on the %s HTTP server", (kind) => {
  describe.each(HTTP_VERSIONS)("over %s, a request", (version) => {
    test("gets a response although its handler does nothing", async () => {
      expect(reasonOf(await answerOf(kind, NOTHING, { version }))).toBe("504 DEADLINE_EXCEEDED");
    });

    test("gets a response although its handler does not read the body", async () => {
      const answer = await answerOf(kind, NOTHING, { version, verb: "POST", body: Buffer.alloc(1024 * 1024) });
      // Node's HTTP/2 server does not report how much of an unread body has arrived.
      const isTimeout = kind === "node" && version === "HTTP/2";
      expect(reasonOf(answer)).toBe(isTimeout ? "408 REQUEST_TIMEOUT" : "504 DEADLINE_EXCEEDED");
    });

    test("is cut off if its response makes no progress", async () => {
      const answer = await answerOf(kind, (exchange) => void exchange.stream(200, {}, never("the beginning")), {
        version,
      });
      expect(answer.status).toBe(200);
      expect(answer.end).toMatch(version === "HTTP/2" ? /^reset \d+$/ : /^closed$/);
      expect(answer.body.toString()).toBe("the beginning");
    });

    test("is not cut off while its response makes progress", async () => {
      const pieces = Array.from({ length: 25 }, (_, index) => `${index} `);
      const answer = await answerOf(kind, (exchange) => void exchange.stream(200, {}, slowly(pieces)), { version });
      expect(answer).toMatchObject({ status: 200, end: "whole" });
      expect(answer.body.toString()).toBe(pieces.join(""));
    });

    test("times out after the body timeout if its body is incomplete", async () => {
      const answer = await answerOf(kind, DISCARD, {
        version,
        verb: "POST",
        body: Buffer.from("x"),
        isCut: true,
      });
      expect(answer.status).toBe(408);
    });
  });
});
