import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createJsonClient } from "../testing/json-client.js";
import { sendPipelined } from "../testing/raw-http1.js";
import { type RawAnswer, type RawEnd, type RawFields, RawHttp2Client } from "../testing/raw-http2.js";
import { createManualPoolFields, getPoolKeyFields, newPool } from "../testing/request-fields.js";
import { startTestServer } from "../testing/test-server.js";

/** The number of values; `FUZZ_REQUESTS=120000 npm test -- field-values` sends more. `FUZZ_SEED` repeats a run. */
const VALUES = Number(process.env.FUZZ_REQUESTS || 2000);
const SEED = Number(process.env.FUZZ_SEED || Date.now() % 2 ** 31);
/** The number of requests per connection. */
const BATCH = 100;

/** A request to which a test adds header lines. */
interface Base {
  readonly method: string;
  readonly target: string;
  readonly fields: RawFields;
  readonly body: string | undefined;
}

interface Sent {
  readonly field: string;
  readonly base: Base;
  readonly lines: readonly string[];
}

const JSON_TYPE = [["content-type", "application/json"]] as const;

/** The requests to which the test adds each field, keyed by the field's name. No value of a field changes the responses to later requests. */
let bases: Readonly<Record<string, readonly Base[]>> = {};
let etag = "";

const server = await startTestServer("postgres");

beforeAll(async () => {
  const api = createJsonClient(server.url);
  const { account, pool, number } = await newPool(api, { pool_type: "manual" });
  const name = getPoolKeyFields(account, pool);
  etag = await api.etagFrom("getPool", name);
  const pools = `/dni_manager/accounts/${account.account_token}/pools`;
  const target = `${pools}/${pool.id}`;
  const get: Base = { method: "GET", target, fields: [], body: undefined };
  // An update without changes keeps the etag.
  const put: Base = { method: "PUT", target, fields: JSON_TYPE, body: "{}" };
  const untyped: Base = { ...put, fields: [] };
  const { account_id, ...fields } = createManualPoolFields(account, number);
  const post: Base = { method: "POST", target: pools, fields: JSON_TYPE, body: JSON.stringify(fields) };
  const connect: Base = {
    ...{ method: "POST", target: "/calltracking.v1.AccountService/ListAccounts", fields: JSON_TYPE },
    body: '{"page_size": 1}',
  };
  const page: Base = { ...get, target: "/dni.js" };
  bases = {
    ...{ "if-match": [get, put], "if-none-match": [get, put, page], "idempotency-key": [post] },
    ...{ "content-type": [untyped], "content-encoding": [put], authorization: [get, put], origin: [put] },
    ...{ "x-server-timeout": [get, put], "grpc-timeout": [get], "connect-timeout-ms": [connect] },
    ...{ "connect-protocol-version": [connect], accept: [get, page], "accept-encoding": [page], cookie: [get] },
    ...{ traceparent: [get], "x-forwarded-for": [get], "x-request-id": [get], "user-agent": [get], x: [put] },
  };
});

afterAll(() => server.stop());

/** The bytes that Node accepts in both versions of HTTP: no control characters except the tab. */
const byte = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0x20, max: 0x7e }) },
  { weight: 1, arbitrary: fc.integer({ min: 0x80, max: 0xff }) },
  { weight: 2, arbitrary: fc.constantFrom(0x20, 0x09, 0x2c, 0x22, 0x2a) },
);
const anyText = fc.array(byte, { maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const space = fc.stringMatching(/^[ \t]{0,3}$/);

/** Values that are valid for some fields, so that some of the conditions are satisfied. `ETAG` stands for the current etag. */
const meaningful = fc.constantFrom(
  ...["ETAG", "W/ETAG", '"bogus"', "bogus", "*", '"a", ETAG', "ETAG,", "key", '"key"', "gzip", "br", "identity"],
  ...["application/json", "text/plain", "application/json; charset=utf-8", "5", "5S", "5000m", "1", "http://localhost"],
  ...["text/html", "*/*", "Bearer x", "127.0.0.1", ""],
);
const value = fc
  .tuple(space, fc.oneof(anyText, meaningful), space)
  .map(([before, text, after]) => before + text + after);

/**
 * Generates requests with additional lines of one header, usually a single line. Few requests have `idempotency-key`, because these requests write.
 */
const sample = (count: number, seed: number): readonly Sent[] =>
  fc
    .sample(
      fc.record({
        field: fc.oneof(
          {
            weight: 20,
            arbitrary: fc.constantFrom(...Object.keys(bases).filter((name) => name !== "idempotency-key")),
          },
          { weight: 1, arbitrary: fc.constant("idempotency-key") },
        ),
        base: fc.nat(),
        lines: fc.oneof({ weight: 3, arbitrary: fc.tuple(value) }, fc.array(value, { minLength: 2, maxLength: 3 })),
      }),
      { numRuns: count, seed },
    )
    .map(({ field, base, lines }) => {
      const own = bases[field] as readonly Base[];
      const texts = lines.map((line) => line.replaceAll("ETAG", etag));
      return { field, base: own[base % own.length] as Base, lines: texts };
    });

/** Sends the requests over both versions of HTTP, first over HTTP/1.1. */
async function sendBoth(sent: readonly Sent[]): Promise<readonly (readonly [RawAnswer | undefined, RawEnd])[]> {
  const withLines = sent.map(({ field, base, lines }) => ({
    ...base,
    fields: [...base.fields, ...lines.map((line) => [field, line] as const)],
  }));
  const http1 = await sendPipelined(server.port, withLines);
  const client = new RawHttp2Client(server.port);
  const http2 = await Promise.all(withLines.map((request) => client.send(pseudoFields(request), request.body)));
  client.disconnect();
  return http2.map((end, index) => [http1[index], end]);
}

function pseudoFields({ method, target, fields }: Base): RawFields {
  return [[":method", method], [":scheme", "http"], [":authority", "localhost"], [":path", target], ...fields];
}

/** Returns the status that RFC 9110 section 13 requires for a condition. Parses the list of tags without the server's code. */
function expectedStatus({ field, base, lines }: Sent): number | undefined {
  if (field !== "if-match" && field !== "if-none-match") return undefined;
  const isWrite = base.method !== "GET";
  const tags = base.target === "/dni.js" ? undefined : readTags(lines.join(","));
  if (base.target === "/dni.js") return lines.join(",").trim() === "*" ? 304 : 200;
  if (tags === undefined) return isWrite ? 400 : 200;
  const isListed = tags.some(
    (tag) => tag === "*" || tag === etag || (field === "if-none-match" && tag === `W/${etag}`),
  );
  if (field === "if-match") return isListed ? 200 : 412;
  return isListed ? (isWrite ? 412 : 304) : 200;
}

/** Parses a list of tags character by character; undefined if it is malformed or empty. */
function readTags(text: string): readonly string[] | undefined {
  const tags: string[] = [];
  let rest = text.replace(/^[ \t,]+/, "");
  if (/^\*[ \t]*$/.test(rest) && !text.includes(",")) return ["*"];
  while (rest !== "") {
    const end = rest.indexOf('"', rest.indexOf('"') + 1) + 1;
    const tag = rest.slice(0, end);
    if (!/^(W\/)?"[^"\t ]*"$/.test(tag)) return undefined;
    tags.push(tag);
    rest = rest.slice(end).replace(/^[ \t]+/, "");
    if (rest !== "" && !rest.startsWith(",")) return undefined;
    rest = rest.replace(/^[ \t,]+/, "");
  }
  return tags.length === 0 ? undefined : tags;
}

test(`${VALUES} random field values get the same responses over both versions of HTTP; FUZZ_SEED=${SEED}`, {
  timeout: 120_000 + VALUES * 40,
}, async () => {
  const statuses: Record<string, number> = {};
  for (let count = 0; count < VALUES; count += BATCH) {
    const sent = sample(Math.min(BATCH, VALUES - count), SEED + count);
    for (const [index, [http1, http2]] of (await sendBoth(sent)).entries()) {
      const request = sent[index] as Sent;
      const what = `${request.base.method} ${request.base.target} ${request.field}: ${JSON.stringify(request.lines)}`;
      // A deadline of a few milliseconds may expire in either version.
      const isLate = http1?.status === 504 || (typeof http2 === "object" && "status" in http2 && http2.status === 504);
      if (!isLate) expect(http2, what).toEqual(http1);
      const expected = expectedStatus(request);
      if (expected !== undefined) expect(http1?.status, what).toBe(expected);
      const seen = `${request.field} ${http1?.status}`;
      statuses[seen] = (statuses[seen] ?? 0) + 1;
    }
  }
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
  expect(await createJsonClient(server.url).etagFrom("getPool", poolName())).toBe(etag);
});

/** Returns the fields that identify the pool in the requests of `bases`. */
function poolName(): { readonly account_id: string; readonly pool_id: string } {
  const [, account_id = "", pool_id = ""] = /accounts\/(.*)\/pools\/(.*)$/.exec(bases.x?.[0]?.target ?? "") ?? [];
  return { account_id, pool_id };
}

test("a field with control characters is rejected over HTTP/1.1, and dropped over HTTP/2", async () => {
  const controls = [...Array(32).keys(), 0x7f].filter((code) => code !== 0x09);
  const [base] = (bases.x ?? []) as readonly [Base];
  const refused: number[] = [];
  const lost: number[] = [];
  for (const code of controls) {
    const sent = { field: "if-match", base, lines: [`"a${String.fromCharCode(code)}"`] };
    const [[http1, http2]] = (await sendBoth([sent])) as [readonly [RawAnswer | undefined, RawEnd]];
    if (http1?.status === 400) refused.push(code);
    if (typeof http2 === "object" && "status" in http2 && http2.status === 200) lost.push(code);
  }
  expect(refused).toEqual(controls);
  expect(lost).toEqual(controls);
});
