import { afterAll, expect, test } from "vitest";

import { readConfig } from "../config/config.js";
import { listFuzzMethods } from "../testing/fuzz/fuzz-method.js";
import { runFuzz } from "../testing/fuzz/run-fuzz.js";
import { createJsonClient } from "../testing/json-client.js";
import { newSampleAccount } from "../testing/sample-requests.js";
import { startTestServer } from "../testing/test-server.js";

/** The number of requests. To send more: `FUZZ_REQUESTS=100000 npm test -- api-fuzz`. To repeat a run, set `FUZZ_SEED`. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS || 400);
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 2 ** 31);

/** Longer than the request timeout and the body timeout together. */
const HANG_MS = 60_000;

const limits = { ...readConfig({ REQUEST_TIMEOUT: "20s" }).limits, headerTimeoutMs: 8000, bodyTimeoutMs: 8000 };
const server = await startTestServer("postgres", { limits });

afterAll(() => server.stop());

test(`each of ${REQUESTS} requests over all protocols gets an expected status; FUZZ_SEED=${SEED}`, {
  timeout: 120_000 + REQUESTS * 60,
}, async () => {
  const account = await newSampleAccount(createJsonClient(server.url), server);
  const methods = listFuzzMethods(account);
  const report = await runFuzz({ port: server.port, methods, requests: REQUESTS, seed: SEED, hangMs: HANG_MS });
  process.stdout.write(`${JSON.stringify(report.outcomes)}\n`);
  expect(report.problems).toEqual([]);
});
