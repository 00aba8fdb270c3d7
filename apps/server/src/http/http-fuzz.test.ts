import { connect } from "node:net";
import { CreateAccountRequestSchema } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { CreatePoolRequestSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createDataLocation } from "../testing/data-location.js";
import { expectError } from "../testing/expect-documented.js";
import { fuzzHeaders } from "../testing/fuzz/fuzz-headers.js";
import { fuzzJson } from "../testing/fuzz/fuzz-json.js";
import { readAllText } from "../testing/raw-connection.js";
import { type RawEnd, type RawFields, RawHttp2Client } from "../testing/raw-http2.js";
import { startServerProcess } from "../testing/server-process.js";

/** The number of requests over each version of HTTP; `FUZZ_REQUESTS=100000 npm test -- http-fuzz` sends more. `FUZZ_SEED` repeats a run. */
const REQUESTS = Number(process.env.FUZZ_REQUESTS || 600);
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 2 ** 31);
/** The number of concurrent requests. HTTP/2 requests share one connection; HTTP/1.1 requests use one connection each. */
const BATCH = 100;

const TIMEOUT = { timeout: 120_000 + REQUESTS * 20 };

/** A request whose parts are sent without encoding or validation, each character as one byte. */
interface RawRequest {
  readonly method: string;
  readonly authority: string;
  readonly target: string;
  readonly fields: RawFields;
  readonly body: string | undefined;
}

const JSON_PATHS = [
  ...["/", "/call_tracking/accounts", "/call_tracking/accounts/1", "/call_tracking/accounts/", "/healthz"],
  ...["/dni_manager/accounts/acme/pools", "/dni_manager/accounts/acme/phone_numbers", "/dni_manager/properties/1/"],
  ...["/dni_manager/accounts/acme/pools:export"],
];

/** Paths whose errors have other formats than those of the JSON paths. */
const OTHER_PATHS = [
  ...["/console", "/console/", "/docs", "/openapi.json", "/dni.js", "/grpc.health.v1.Health/Check"],
  ...["/calltracking.v1.AccountService/ListAccounts", "/calltracking.v1.PoolService/ExportPools"],
];

const SEGMENTS = [
  ...["accounts", "pools", "acme", "1", "05", "..", ".", "", "%2F", "%2f", "%00", "%", "%zz", "%C0%AF", "%ED%A0%80"],
  ...["%F4%90%80%80", "a:b", "pools:export", "pools:nope", ":", "*", "**", "{a}", "%25"],
];

const QUERIES = ["page_size=1", "page_size=0", "page_size=x&page_size=1", "page_token=abc", "pageSize=2", "%", "a=%zz"];

const METHODS = ["DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "BREW", ""];

const FIELDS = [
  ...["accept", "accept-encoding", "authorization", "connect-protocol-version", "content-encoding", "content-type"],
  ...["cookie", "expect", "grpc-encoding", "grpc-timeout", "host", "idempotency-key", "if-match", "if-none-match"],
  ...["connect-timeout-ms", "origin", "te", "traceparent", "user-agent", "x-forwarded-for", "x-request-id", "x"],
];

const VALUES = [
  ...["application/json", "application/json; charset=utf-8", "application/grpc", "application/proto", "text/html"],
  ...["application/connect+json", "text/plain", "gzip", "1S"],
];

/** Generates random bytes, each as one character. Most are ordinary text, so that some requests pass the first checks. */
const anyText = fc.oneof(
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
  fc.string({ maxLength: 12 }),
  fc.constantFrom("", "1", "acme", "%", "*", "\x01"),
);

/** Removes line ends, which would begin another request over HTTP/1.1. */
const inLine = anyText.map((text) => text.replaceAll(/[\r\n]/g, ""));

function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

function fuzzTarget(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const known = fc.constantFrom(...JSON_PATHS, ...OTHER_PATHS);
  const segment = fc.oneof(fc.constantFrom(...SEGMENTS), text, fc.uuid());
  const path = fc.oneof(
    { weight: 3, arbitrary: known },
    fc.tuple(known, fc.oneof(text, segment)).map(([start, rest]) => start + rest),
    fc.tuple(known, segment).map(([start, rest]) => `${start}/${rest}`),
    fc.array(segment, { maxLength: 7 }).map((segments) => `/${segments.join("/")}`),
    fc.constantFrom("*", "http://example.com/call_tracking/accounts", "//", "/?", "/#", ""),
  );
  const query = fc.oneof(fc.constantFrom(...QUERIES), text);
  return fc.tuple(path, fc.option(query)).map(([start, rest]) => (rest === null ? start : `${start}?${rest}`));
}

/** Generates requests that a client could send by mistake or malice. */
function fuzzRequest(text: fc.Arbitrary<string>): fc.Arbitrary<RawRequest> {
  const field = fc.tuple(fc.constantFrom(...FIELDS), fc.oneof(text, fc.constantFrom(...VALUES)));
  const json = fc.constantFrom(CreateAccountRequestSchema, CreatePoolRequestSchema).chain((desc) => fuzzJson(desc, {}));
  return fc.record({
    method: mostly(fc.constantFrom("GET", "GET", "POST", "PUT"), fc.oneof(fc.constantFrom(...METHODS), text)),
    authority: mostly(fc.constant("localhost"), text),
    target: fuzzTarget(text),
    fields: fc
      .tuple(fc.array(field, { maxLength: 3 }), fuzzHeaders())
      .map(([odd, known]) => [...odd, ...Object.entries(known)]),
    body: fc.option(
      fc.oneof(
        anyText,
        json.map((bytes) => Buffer.from(bytes).toString("latin1")),
      ),
      { nil: undefined },
    ),
  });
}

/** Bytes of each kind: control characters, ASCII punctuation, a letter, and bytes that begin, continue or cannot occur in UTF-8. */
const BYTES = "\0\x01\t\n\v\r\x1f !\"#$%&'()*+,-./:;<=>?@[\\]^_`a{|}~\x7f\x80\xa0\xc0\xc3\xe2\xf0\xff";

/** Functions that create an HTTP/2 request with a text in one part, keyed by the description of that part. */
const PLACES: Readonly<Record<string, (text: string) => RawFields>> = {
  "the query of a redirect": (text) => get(`/console?${text}`),
  "the query of a JSON path": (text) => get(`/call_tracking/accounts?page_size=1&query=${text}`),
  "the path": (text) => get(`/${text}`),
  ...Object.fromEntries(
    FIELDS.map((name) => [name, (text: string) => [...get("/call_tracking/accounts"), [name, text] as const]]),
  ),
};

function get(target: string): RawFields {
  return fieldsOf({ method: "GET", authority: "localhost", target, fields: [], body: undefined });
}

function fieldsOf({ method, authority, target, fields }: RawRequest): RawFields {
  return [[":method", method], [":scheme", "http"], [":authority", authority], [":path", target], ...fields];
}

const { environment } = await createDataLocation("postgres");
const server = await startServerProcess(environment);

afterAll(() => server[Symbol.asyncDispose]());

test.each(Object.entries(PLACES))("answers or resets a request with an unusual byte in %s", async (_, withText) => {
  const client = new RawHttp2Client(server.port);
  for (const byte of BYTES) {
    const end = await client.send(withText(`a${byte}b`));
    expect(end, JSON.stringify(byte)).toSatisfy(() => isAnswerOrReset(end));
  }
  client.disconnect();
});

/** Whether a stream was reset, or ended with a response that does not indicate a server failure. */
function isAnswerOrReset(end: RawEnd, request?: RawRequest): boolean {
  return end !== "closed" && ("resetCode" in end || isExpected(end.status, request));
}

/** Whether a status does not indicate a server failure: it is not 5xx, except for an expired deadline and Connect's UNIMPLEMENTED. */
function isExpected(status: number, { target, fields }: Pick<RawRequest, "target" | "fields"> = NONE): boolean {
  if (status === 504) return fields.some(([name]) => name.includes("-timeout"));
  return (status >= 200 && status < 500) || (status === 501 && target.includes(".v1."));
}

const NONE = { target: "", fields: [] };

/** Sends random requests in batches, and prints the number of each outcome. */
async function sendRandom(
  requests: fc.Arbitrary<RawRequest>,
  sendBatch: (batch: readonly RawRequest[]) => Promise<readonly unknown[]>,
): Promise<void> {
  const outcomes: Record<string, number> = {};
  for (let sent = 0; sent < REQUESTS; sent += BATCH) {
    const batch = fc.sample(requests, { numRuns: Math.min(BATCH, REQUESTS - sent), seed: SEED + sent });
    for (const outcome of await sendBatch(batch)) outcomes[String(outcome)] = (outcomes[String(outcome)] ?? 0) + 1;
  }
  process.stdout.write(`${JSON.stringify(outcomes)}\n`);
}

test(`${REQUESTS} random requests over HTTP/1.1 get no 5xx and no malformed error; FUZZ_SEED=${SEED}`, TIMEOUT, () =>
  sendRandom(fuzzRequest(inLine), (batch) => Promise.all(batch.map(sendHttp1))),
);

test(`${REQUESTS} random requests over HTTP/2 get no 5xx, or are reset; FUZZ_SEED=${SEED}`, TIMEOUT, () =>
  sendRandom(fuzzRequest(anyText), async (batch) => {
    const client = new RawHttp2Client(server.port);
    const ends = await Promise.all(batch.map((request) => client.send(fieldsOf(request), request.body)));
    client.disconnect();
    return ends.map((end, index) => {
      const request = batch[index] as RawRequest;
      expect(end, JSON.stringify(request)).toSatisfy(() => isAnswerOrReset(end, request));
      return typeof end === "object" && "status" in end ? end.status : JSON.stringify(end);
    });
  }),
);

test("the server still works after all random requests", async () => {
  expect(await server.stop()).toMatchObject({ exitCode: 0 });
});

/** Sends a request over a new connection, checks the response, and returns its status. */
async function sendHttp1(request: RawRequest): Promise<number> {
  const { method, authority, target, fields, body = "" } = request;
  const own = `host: ${authority}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n`;
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const what = JSON.stringify(request);
  const socket = connect(server.port, "127.0.0.1").setTimeout(10_000, () => socket.destroy());
  const received = readAllText(socket);
  // Does not call end(), because Node.js treats a half-closed connection as a disconnected client.
  socket.write(`${method} ${target} HTTP/1.1\r\n${own}${lines}\r\n${body}`, "latin1");
  const { status, headers, text } = readAnswer(await received, what);
  expect(isExpected(status, request), `${what}: ${status} ${text}`).toBe(true);
  const hasOtherForm = OTHER_PATHS.some((path) => target.startsWith(path)) || headers.has("content-encoding");
  if (status >= 400 && method !== "HEAD" && !hasOtherForm) expectError({ status, headers, text });
  return status;
}

function readAnswer(received: string, what: string) {
  const answer = received.replace("HTTP/1.1 100 Continue\r\n\r\n", "");
  const [, status, head = "", body = ""] = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s.exec(answer) ?? [];
  expect(status, `${what}: ${received.slice(0, 200)}`).toBeDefined();
  const headers = new Headers(head.split("\r\n").map((line) => line.split(/: *(.*)/s, 2) as [string, string]));
  const whole = headers.has("transfer-encoding") ? body.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/gi, "") : body;
  return { status: Number(status), headers, text: Buffer.from(whole, "latin1").toString() };
}
