import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { findFuzzProblem, fuzzRequest } from "../testing/http-fuzz.js";
import { startTestServer } from "../testing/test-server.js";

/** The number of requests; `FUZZ_REQUESTS=100000 npm test -- http-fuzz` sends more. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS || 1000);

const server = await startTestServer("postgres", {});

afterAll(() => server.stop());

test(`none of ${REQUESTS} requests gets a 5xx, a timeout or a malformed error`, {
  timeout: 60_000 + REQUESTS * 20,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fuzzRequest, async (request) => {
      expect(await findFuzzProblem(server.port, request)).toBeUndefined();
    }),
    { numRuns: REQUESTS },
  );
});
