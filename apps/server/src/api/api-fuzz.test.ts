import { afterAll, beforeAll, expect, test } from "vitest";

import { readConfig } from "../config/config.js";
import { newFurnishedAccount } from "../testing/any-request.js";
import { listFuzzMethods } from "../testing/fuzz/fuzz-method.js";
import { runFuzz } from "../testing/fuzz/run-fuzz.js";
import { createJsonClient } from "../testing/json-client.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";

/** `FUZZ_REQUESTS=100000 npm test -- api-fuzz` sends that many requests; `FUZZ_SEED` repeats a run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS || 400);
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 2 ** 31);

/** More than the timeouts of requests and of bodies together. */
const HANG_MS = 60_000;

let server: TestServer;

beforeAll(async () => {
  const limits = { ...readConfig({ REQUEST_TIMEOUT: "20s" }).limits, headerTimeoutMs: 8000, bodyTimeoutMs: 8000 };
  server = await startTestServer("postgres", { limits });
});

afterAll(() => server?.stop());

test(`no request of ${REQUESTS} over any protocol gets an unexpected code, or none; FUZZ_SEED=${SEED}`, {
  timeout: 120_000 + REQUESTS * 60,
}, async () => {
  const account = await newFurnishedAccount(createJsonClient(server.url), server);
  const methods = listFuzzMethods(account);
  const report = await runFuzz({ port: server.port, methods, requests: REQUESTS, seed: SEED, hangMs: HANG_MS });
  process.stdout.write(`${JSON.stringify(report.outcomes)}\n`);
  expect(report.problems).toEqual([]);
});
