import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type RawEnd, type RawFields, RawHttp2Client } from "../testing/raw-http2.js";
import { startServerProcess } from "../testing/server-process.js";
import { createTestDatabase } from "../testing/test-database.js";
import { startTestServer } from "../testing/test-server.js";

/** The number of requests; `FUZZ_REQUESTS=100000 npm test -- http2-fuzz` sends more. `FUZZ_SEED` repeats a run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS || 2000);
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 2 ** 31);
/** The number of requests per connection, all at once. */
const BATCH = 100;

interface RawRequest {
  readonly fields: RawFields;
  readonly body: string | undefined;
}

function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

/** Whether a stream ended with a response that does not blame the server, or was reset. */
function isExpected(end: RawEnd): boolean {
  return end !== "closed" && ("resetCode" in end || (end.status >= 200 && end.status < 500));
}

/** Any bytes, each as one character. */
const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array).toString("latin1"));
/** Mostly ordinary text, so that requests also get beyond the first check. */
const text = fc.oneof(bytes, fc.string({ maxLength: 12 }), fc.constantFrom("", "1", "acme", "%", "*", "\x01"));

const path = fc
  .tuple(
    fc.constantFrom(
      "/",
      "/console",
      "/console/",
      "/docs",
      "/openapi.json",
      "/dni.js",
      "/healthz",
      "/call_tracking/accounts",
      "/call_tracking/accounts/",
      "/dni_manager/accounts/acme/pools",
      "/dni_manager/accounts/acme/pools:export",
      "/dni_manager/properties/1/",
      "/calltracking.v1.AccountService/ListAccounts",
      "/calltracking.v1.PoolService/ExportPools",
      "/grpc.health.v1.Health/Check",
    ),
    fc.oneof(
      text,
      text.map((query) => `?${query}`),
      text.map((value) => `?page_size=1&page_token=${value}`),
    ),
  )
  .map(([start, rest]) => start + rest);

const FIELDS = [
  ...["accept", "accept-encoding", "authorization", "connect-protocol-version", "content-encoding", "content-type"],
  ...["cookie", "expect", "grpc-encoding", "grpc-timeout", "host", "idempotency-key", "if-match", "if-none-match"],
  ...["connect-timeout-ms", "origin", "te", "traceparent", "user-agent", "x-forwarded-for", "x-request-id", "x"],
];

const field = fc.tuple(
  fc.constantFrom(...FIELDS),
  fc.oneof(
    text,
    fc.constantFrom("application/json", "application/grpc", "application/connect+json", "text/html", "gzip", "1S"),
  ),
);

const request: fc.Arbitrary<RawRequest> = fc
  .record({
    method: mostly(fc.constantFrom("GET", "GET", "POST", "PUT", "OPTIONS", "HEAD"), text),
    authority: mostly(fc.constant("localhost"), text),
    path: mostly(path, text),
    headers: fc.array(field, { maxLength: 3 }),
    body: fc.option(text, { nil: undefined }),
  })
  .map(({ method, authority, path, headers, body }) => ({
    fields: [[":method", method], [":scheme", "http"], [":authority", authority], [":path", path], ...headers],
    body,
  }));

/** The parts of a request, with a text in one of them. */
const PLACES: Readonly<Record<string, (text: string) => RawFields>> = {
  "the query of a redirect": (text) => get(`/console?${text}`),
  "the query of a JSON path": (text) => get(`/call_tracking/accounts?page_size=1&query=${text}`),
  "the path": (text) => get(`/${text}`),
  ...Object.fromEntries(
    FIELDS.map((name) => [name, (text: string) => [...get("/call_tracking/accounts"), [name, text] as const]]),
  ),
};

function get(target: string): RawFields {
  return [
    [":method", "GET"],
    [":scheme", "http"],
    [":authority", "localhost"],
    [":path", target],
  ];
}

const server = await startTestServer("postgres");

afterAll(() => server.stop());

test.each(Object.entries(PLACES))("answers or resets a request with any byte in %s", async (_, fieldsOf) => {
  const client = new RawHttp2Client(server.port);
  for (let byte = 0; byte < 256; byte++) {
    const end = await client.send(fieldsOf(`a${String.fromCharCode(byte)}b`));
    expect(end, `byte ${byte}`).toSatisfy(isExpected);
  }
  client.disconnect();
});

test(`survives ${REQUESTS} requests of random bytes over HTTP/2 without a 5xx; FUZZ_SEED=${SEED}`, {
  timeout: 120_000 + REQUESTS * 20,
}, async () => {
  const { url: DATABASE_URL } = await createTestDatabase("postgres");
  await using served = await startServerProcess({ DATABASE_URL });
  const ends = new Map<string, number>();
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    const client = new RawHttp2Client(served.port);
    const requests = fc.sample(request, { numRuns: Math.min(BATCH, REQUESTS - sent), seed: SEED + sent });
    const answers = await Promise.all(requests.map(({ fields, body }) => client.send(fields, body)));
    client.disconnect();
    for (const [index, answer] of answers.entries()) {
      expect(answer, JSON.stringify(requests[index])).toSatisfy(isExpected);
      const end = typeof answer === "object" && "status" in answer ? String(answer.status) : JSON.stringify(answer);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(ends))}\n`);
  expect(await served.stop()).toMatchObject({ exitCode: 0 });
});
