import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AccountJson } from "../../testing/api-client.js";
import { CALL_VARIANTS } from "../../testing/call-variants.js";
import { createDataLocation } from "../../testing/data-location.js";
import { createGrpcClient } from "../../testing/grpc-client.js";
import { sendHttp } from "../../testing/http-request.js";
import { createJsonClient } from "../../testing/json-client.js";
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from "../../testing/otlp-receiver.js";
import { createAutomanagedPoolFields, newAccount, newAccountWithNumber } from "../../testing/request-fields.js";
import { type Environment, type ServerProcess, startServerProcess } from "../../testing/server-process.js";

const LIST = "calltracking.v1.PoolService/ListPools";
const ROUTE = "/dni_manager/accounts/{account_id}/pools";

/** Exports spans soon after they end. */
const SHORT_EXPORT_DELAY = { OTEL_BSP_SCHEDULE_DELAY: "10" };

let database: Environment;
let receiver: OtlpReceiver;
let server: ServerProcess;
let account: AccountJson;

beforeAll(async () => {
  ({ environment: database } = await createDataLocation("postgres"));
  receiver = await startOtlpReceiver();
  server = await startServerProcess({
    ...database,
    ...SHORT_EXPORT_DELAY,
    LOG_LEVEL: "debug",
    PASSES: "off",
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_SERVICE_NAME: "calltrack-test",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  account = await newAccount(createJsonClient(server.url));
});

afterAll(async () => {
  await server?.stop();
  await receiver?.[Symbol.asyncDispose]();
});

/** Creates the ids of a client's trace, and the traceparent header that contains them. */
function newTrace(): { readonly traceId: string; readonly parentId: string; readonly traceparent: string } {
  const hex = (length: number) => crypto.randomUUID().replaceAll("-", "").slice(0, length);
  const [traceId, parentId] = [hex(32), hex(16)];
  return { traceId, parentId, traceparent: `00-${traceId}-${parentId}-01` };
}

/** The kinds of spans in OTLP. */
const [SERVER, CLIENT] = [2, 3];

/** Returns all spans of a trace. Waits for the span of the request, because that span ends last. */
async function spansOf(traceId: string): Promise<ReceivedSpan[]> {
  const find = () => receiver.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => find().some(({ kind }) => kind === SERVER)).toBe(true);
  return find();
}

describe.each(CALL_VARIANTS)("over $title", ({ listPools, protocol }) => {
  test("records a request as a span in the caller's trace, and its statement as a child span", async () => {
    const { traceId, parentId, traceparent } = newTrace();
    const { headers } = await listPools(server.port, account.account_token, { traceparent, tracestate: "vendor=1" });
    const spans = await spansOf(traceId);
    const requests = spans.filter(({ kind }) => kind === SERVER);
    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect(request).toMatchObject({
      parentSpanId: parentId,
      traceState: "vendor=1",
      name: protocol === "json" ? `GET ${ROUTE}` : LIST,
      isError: false,
      resource: { "service.name": "calltrack-test", "deployment.environment.name": "test" },
      attributes: {
        "calltrack.request_id": headers.get("x-request-id"),
        ...(protocol === "json"
          ? {
              "http.request.method": "GET",
              "http.route": ROUTE,
              "http.response.status_code": 200,
              "url.scheme": "http",
            }
          : { "rpc.method": LIST, "rpc.status_code": "OK" }),
      },
    });
    // Ignores the statements that look up the account if it is not cached.
    const statements = spans.filter(({ kind, name }) => kind === CLIENT && name === "SELECT pools");
    expect(statements).toHaveLength(1);
    expect(statements[0]).toMatchObject({
      parentSpanId: request?.spanId,
      isError: false,
      attributes: {
        "db.system.name": "postgresql",
        "db.operation.name": "SELECT",
        "db.query.summary": "SELECT pools",
        "db.query.text": expect.stringContaining('from "pools"'),
        "db.namespace": expect.stringMatching(/^test_/),
        "server.address": expect.any(String),
        "server.port": expect.any(Number),
      },
    });
    const line = server.log.find(({ request_id }) => request_id === headers.get("x-request-id"));
    expect(line).toMatchObject({ trace_id: traceId });
  });

  test("exports no spans if the caller's trace is not sampled", async () => {
    const [unsampled, sampled] = [newTrace(), newTrace()];
    await listPools(server.port, "nobody", { traceparent: unsampled.traceparent.replace(/01$/, "00") });
    await listPools(server.port, "nobody", { traceparent: sampled.traceparent });
    const spans = await spansOf(sampled.traceId);
    expect(new Set(spans.map(({ kind }) => kind))).toEqual(new Set([SERVER, CLIENT]));
    expect(spans.filter(({ isError }) => isError)).toEqual([]);
    expect(receiver.spans.some(({ traceId }) => traceId === unsampled.traceId)).toBe(false);
  });
});

test("begins a new trace if the traceparent header is missing or malformed", async () => {
  for (const headers of [{}, { traceparent: "00-0-0-0" }]) {
    const target = "/call_tracking/accounts/nobody";
    const answer = await sendHttp("HTTP/1.1", server.port, { target, headers });
    const isOf = (span: ReceivedSpan) => span.attributes["calltrack.request_id"] === answer.headers["x-request-id"];
    await expect.poll(() => receiver.spans.find(isOf)).toMatchObject({ parentSpanId: "", isError: false });
  }
});

test("omits the path of an unknown route from the span", async () => {
  const { traceId, traceparent } = newTrace();
  await sendHttp("HTTP/2", server.port, { target: "/secret/path", headers: { traceparent } });
  const [span] = await spansOf(traceId);
  expect(span).toMatchObject({ name: "GET", attributes: { "http.response.status_code": 404 } });
  expect(receiver.text).not.toContain("secret");
});

test("omits the evidence of a visit from the spans", async () => {
  const { traceId, traceparent } = newTrace();
  const target = `/dni_manager/accounts/${account.account_token}/properties/shop/visits:resolve`;
  const body = JSON.stringify({ evidence: { utm_source: "secret", referrer: "https://secret.test" } });
  const headers = { traceparent, "user-agent": "Mozilla/5.0 (X11; secret; rv:145.0) Gecko/20100101 Firefox/145.0" };
  await sendHttp("HTTP/1.1", server.port, { target, method: "POST", body, headers });
  expect((await spansOf(traceId)).filter(({ kind }) => kind === CLIENT)).not.toEqual([]);
  expect(receiver.text).not.toContain("secret");
});

test("records a batched statement as a span of each request", async () => {
  const api = createJsonClient(server.url);
  const { account: owner, number } = await newAccountWithNumber(api);
  const traces = Array.from({ length: 20 }, newTrace);
  await Promise.all(
    traces.map(async ({ traceparent }) => {
      const client = createGrpcClient(server.port, { traceparent });
      await client.createPool(createAutomanagedPoolFields(owner, number));
      client.close();
    }),
  );
  for (const { traceId } of traces) {
    await expect
      .poll(() => receiver.spans.filter((span) => span.traceId === traceId).map(({ name }) => name))
      .toEqual(expect.arrayContaining(["INSERT pools", "calltracking.v1.PoolService/CreatePool"]));
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    const request = spans.find(({ kind }) => kind === 2);
    expect(spans.filter(({ name }) => name === "INSERT pools")).toMatchObject([{ parentSpanId: request?.spanId }]);
  }
});

test("exports the remaining spans when the server stops, including those of the embedded database and transactions", async () => {
  await using own = await startOtlpReceiver();
  await using location = await createDataLocation("embedded");
  const stopping = await startServerProcess({
    ...location.environment,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${own.url}/v1/traces`,
  });
  const api = createJsonClient(stopping.url);
  const { account_token } = await newAccount(api);
  expect(own.spans).toEqual([]);
  expect(await stopping.stop()).toMatchObject({ exitCode: 0 });
  const request = own.spans.find(({ kind }) => kind === 2);
  expect(request).toMatchObject({ name: "POST /call_tracking/accounts", resource: { "service.name": "calltrack" } });
  const statements = own.spans.filter(({ kind }) => kind === 3);
  expect(statements).not.toEqual([]);
  for (const { parentSpanId } of statements) expect(parentSpanId).toBe(request?.spanId);
  expect(own.text).not.toContain(account_token);
});

/** Invalid settings, with the warnings about them. A server logs all of these warnings. */
const INVALID = {
  OTEL_SDK_DISABLED: ["yes", "OTEL_SDK_DISABLED"],
  OTEL_TRACES_SAMPLER: ["some", "OTEL_TRACES_SAMPLER"],
  OTEL_PROPAGATORS: ["some", "Propagator"],
  OTEL_EXPORTER_OTLP_PROTOCOL: ["some", "Unsupported OTLP traces protocol"],
  OTEL_EXPORTER_OTLP_TIMEOUT: ["soon", "OTEL_EXPORTER_OTLP_TIMEOUT"],
  OTEL_EXPORTER_OTLP_COMPRESSION: ["some", "OTEL_EXPORTER_OTLP_COMPRESSION"],
  OTEL_EXPORTER_OTLP_CERTIFICATE: ["/none.pem", "Failed to read root certificate"],
  OTEL_BSP_MAX_QUEUE_SIZE: ["-1", "OTEL_BSP_MAX_QUEUE_SIZE"],
  OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: ["many", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"],
} as const;

const INVALID_SETTINGS = Object.fromEntries(Object.entries(INVALID).map(([name, [value]]) => [name, value]));

test.each<readonly [Environment, readonly string[]]>([
  [{ ...INVALID_SETTINGS, OTEL_LOG_LEVEL: "error" }, Object.values(INVALID).map(([, warning]) => warning)],
  [{ OTEL_TRACES_EXPORTER: "some" }, ["OTEL_TRACES_EXPORTER"]],
  [
    { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_ENDPOINT: "user:secret@::" },
    ["tracing could not be started: the server continues without it"],
  ],
  [
    {
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "1.5",
      OTEL_EXPORTER_OTLP_ENDPOINT: "user:secret@collector",
    },
    ["OTEL_TRACES_SAMPLER_ARG", "traces cannot be exported"],
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "//user:secret@" }, ["OTEL_EXPORTER_OTLP_ENDPOINT|environment-provided"]],
  [{ OTEL_EXPORTER_OTLP_HEADERS: "bad name=secret" }, ["traces cannot be exported"]],
])("warns about %o and serves", async (environment, warnings) => {
  await using warned = await startServerProcess({
    ...database,
    ...SHORT_EXPORT_DELAY,
    PASSES: "off",
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    ...environment,
  });
  await newAccount(createJsonClient(warned.url));
  for (const warning of warnings) await warned.waitForLog(`"level":"warn".*(?:${warning})`);
  const { exitCode, stderr } = await warned.stop();
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("secret");
});

test("serves requests while the collector is down, and logs the outage once", async () => {
  await using lonely = await startServerProcess({
    ...database,
    ...SHORT_EXPORT_DELAY,
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "50",
  });
  for (let turn = 0; turn < 3; turn++) await newAccount(createJsonClient(lonely.url));
  await lonely.waitForLog("traces cannot be exported");
  await newAccount(createJsonClient(lonely.url));
  const { exitCode, stderr } = await lonely.stop();
  expect(exitCode).toBe(0);
  expect(stderr.match(/traces cannot be exported/g)).toHaveLength(1);
});
