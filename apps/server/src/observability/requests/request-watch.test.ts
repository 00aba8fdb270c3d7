import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../config/config.js";
import { BodyBudget } from "../../http/limits/body-budget.js";
import { BodyWatch } from "../../http/limits/body-watch.js";
import { observeRequests } from "../../http/observe/observe-requests.js";
import { createRequestObserver } from "../../http/observe/request-observer.js";
import type { RequestHandler } from "../../http/request-handler.js";
import { createOnePortServer } from "../../http/server/one-port.js";
import { type WireAnswer, WireClient, type WireRequest } from "../../testing/fuzz/wire-client.js";
import { HTTP_VERSIONS } from "../../testing/http-request.js";
import { registerLimitMetrics } from "../metrics/limit-metrics.js";
import { registerRequestMetrics } from "../metrics/request-metrics.js";
import { RequestWatch } from "./request-watch.js";

const TIMEOUT_MS = 2000;
const LOG = pino({ level: "silent" });

/** Sends a request to a server with this handler, stops the server, and returns the answer. */
async function answerOf(
  handle: RequestHandler,
  request: Pick<WireRequest, "version"> & Partial<WireRequest>,
): Promise<WireAnswer> {
  const limits = { ...readConfig({}).limits, requestTimeoutMs: TIMEOUT_MS, headerTimeoutMs: 5000, bodyTimeoutMs: 6000 };
  const registry = new Registry();
  const watch = new RequestWatch(TIMEOUT_MS, LOG);
  const observer = createRequestObserver(LOG, registerRequestMetrics(registry), watch, undefined);
  const handlers = {
    handleRequest: observeRequests(observer, handle),
    handleStream: () => false,
    handleWhole: () => false,
  };
  const budget = new BodyBudget(limits);
  const limitMetrics = registerLimitMetrics(registry, () => budget.bytes);
  const bodies = new BodyWatch(budget, limits.trustedProxies, limitMetrics);
  const server = createOnePortServer(handlers, limits, limitMetrics, bodies);
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

describe.each(HTTP_VERSIONS)("over %s, a request", (version) => {
  test("is answered although its handler does nothing", async () => {
    expect(reasonOf(await answerOf(() => {}, { version }))).toBe("504 DEADLINE_EXCEEDED");
  });

  test("is answered although its handler does not read the body", async () => {
    const answer = await answerOf(() => {}, { version, verb: "POST", body: Buffer.alloc(1024 * 1024) });
    expect(reasonOf(answer)).toBe("504 DEADLINE_EXCEEDED");
  });

  test("is cut off if its answer makes no progress", async () => {
    const handle: RequestHandler = (_, response) => {
      response.writeHead(200);
      response.write("the beginning");
    };
    const answer = await answerOf(handle, { version });
    expect(answer).toMatchObject({ status: 200, end: version === "HTTP/2" ? "reset 8" : "closed" });
    expect(answer.body.toString()).toBe("the beginning");
  });

  test("is not cut off while its answer makes progress", async () => {
    const pieces = Array.from({ length: 25 }, (_, index) => `${index} `);
    const handle: RequestHandler = async (_, response) => {
      for (const piece of pieces) {
        response.write(piece);
        await pause(TIMEOUT_MS / 10);
      }
      response.end();
    };
    const answer = await answerOf(handle, { version });
    expect(answer).toMatchObject({ status: 200, end: "whole" });
    expect(answer.body.toString()).toBe(pieces.join(""));
  });

  test("has the body timeout for its body", async () => {
    const handle: RequestHandler = (request) => void request.resume();
    const answer = await answerOf(handle, { version, verb: "POST", body: Buffer.from("x"), isCut: true });
    expect(answer.status).toBe(408);
  });
});
