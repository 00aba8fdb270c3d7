import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_CLIENT_CERTIFICATE_SCOPES } from "../config/client-certificate-scopes.js";
import { parsePublicHosts } from "../config/public-hosts.js";
import { HTTP_VERSIONS, type HttpRequest, type HttpVersion, sendHttp } from "../testing/http-request.js";
import { readMetric } from "../testing/read-metric.js";
import { startTestServer, type TestServer } from "../testing/test-server.js";

const ACCOUNTS = "/call_tracking/accounts";
const PROPERTY = "/dni_manager/accounts/acme/properties/shop";
const RPC = "/calltracking.v1.AccountService/ListAccounts";
const NUMBERS_RPC = "/calltracking.v1.DniService/ResolveNumbers";
/** An empty message in a gRPC frame. */
const EMPTY_MESSAGE = new Uint8Array(5);

/** A valid request in each protocol. */
const REQUESTS: Readonly<Record<string, HttpRequest>> = {
  "a JSON read": { target: ACCOUNTS },
  "a JSON write": { method: "POST", target: ACCOUNTS, body: "{}" },
  "a Connect GET": { target: `${RPC}?connect=v1&encoding=json&message=%7B%7D` },
  "a Connect POST": { method: "POST", target: RPC, body: {} },
  "a gRPC call": grpcCall("application/grpc"),
  "a gRPC-Web call": grpcCall("application/grpc-web+proto"),
  "the numbers of a property": { target: `${PROPERTY}/numbers?source=a&medium=b` },
  "a visit": { method: "POST", target: `${PROPERTY}/visits`, body: "{}" },
  "the script": { target: "/dni.js" },
  "the console": { target: "/console/" },
  "the start page": { target: "/" },
  "the OpenAPI document": { target: "/openapi.json" },
  "an unknown path": { target: "/nope" },
  "a liveness check": { target: "/healthz" },
  "a readiness check": { target: "/readyz?verbose" },
  "a gRPC health check": { ...grpcCall("application/grpc"), target: "/grpc.health.v1.Health/Check" },
};

const WRITES = ["a JSON write", "a Connect POST", "a gRPC call", "a gRPC-Web call"];
const HEALTH_CHECKS = ["a liveness check", "a readiness check", "a gRPC health check"];

function grpcCall(type: string): HttpRequest {
  return { method: "POST", target: RPC, headers: { "content-type": type, te: "trailers" }, body: EMPTY_MESSAGE };
}

type Verdict = "served" | "HOST_UNKNOWN" | "CROSS_SITE_REQUEST";

/** Pairs several hosts with the same verdict. */
function each(verdict: Verdict, hosts: readonly string[]): [host: string, verdict: Verdict][] {
  return hosts.map((host) => [host, verdict]);
}

const STATUS = { HOST_UNKNOWN: [421, "9"], CROSS_SITE_REQUEST: [403, "7"] } as const;

/** Sends a request with additional headers. Returns the reason why it is rejected, and checks that the error has the format of the protocol. */
async function send(
  { port }: TestServer,
  version: HttpVersion,
  request: HttpRequest,
  { host, ...headers }: Readonly<Record<string, string>>,
): Promise<Verdict> {
  const authority = host === undefined ? {} : { [version === "HTTP/1.1" ? "host" : ":authority"]: host };
  const answer = await sendHttp(version, port, {
    ...request,
    headers: { ...request.headers, ...headers, ...authority },
  });
  const text = answer.text + decodeURIComponent(String(answer.headers["grpc-message"]));
  const isGrpc = request.headers?.["content-type"]?.startsWith("application/grpc") === true;
  for (const [reason, [status, code]] of Object.entries(STATUS)) {
    const isRefusal = isGrpc ? answer.headers["grpc-status"] === code : answer.status === status;
    if (!isRefusal) continue;
    expect(text).toMatch(reason === "HOST_UNKNOWN" ? /PUBLIC_HOSTS/ : /web page of another origin/);
    return reason as Verdict;
  }
  return "served";
}

describe.each(HTTP_VERSIONS)("without authentication, over %s", (version) => {
  let server: TestServer;
  let open: TestServer;

  beforeAll(async () => {
    const publicHosts = parsePublicHosts("calls.example,other.example:8443,secure.example:443,192.0.2.7") ?? [];
    server = await startTestServer("postgres", { publicHosts, managesPools: false });
    open = await startTestServer("postgres", { host: "0.0.0.0", basePath: "/api", managesPools: false });
  });

  afterAll(async () => {
    await server?.stop();
    await open?.stop();
  });

  test.each(Object.entries(REQUESTS))("%s is served only to known hosts", async (name, request) => {
    expect(await send(server, version, request, {})).toBe("served");
    expect(await send(server, version, request, { host: "calls.example" })).toBe("served");
    const verdict = HEALTH_CHECKS.includes(name) ? "served" : "HOST_UNKNOWN";
    expect(await send(server, version, request, { host: `evil.example:${server.port}` })).toBe(verdict);
  });

  test.each(Object.entries(REQUESTS))("%s from another origin is served unless it may write", async (name, request) => {
    const verdict = WRITES.includes(name) ? "CROSS_SITE_REQUEST" : "served";
    for (const site of ["cross-site", "same-site"]) {
      expect(await send(server, version, request, { "sec-fetch-site": site })).toBe(verdict);
    }
    expect(await send(server, version, request, { origin: "https://evil.example" })).toBe(verdict);
  });

  test.each<[host: string, verdict: Verdict]>([
    ...each("served", ["localhost", "LOCALHOST:1", "127.0.0.1", "127.8.8.8:80", "127.1", "[::1]:8080", "[0:0::1]"]),
    ...each("served", ["localhost.:1", "calls.example:1", "CALLS.example", "other.example:8443"]),
    ...each("served", ["other.example.:8443", "secure.example:443", "192.0.2.7:8080", "0xC0.0.2.7"]),
    ...each("HOST_UNKNOWN", ["other.example", "other.example:8444", "secure.example:444", "sub.calls.example"]),
    ...each("HOST_UNKNOWN", ["calls.example.evil", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.8"]),
    ...each("HOST_UNKNOWN", ["10.0.0.1", "[::2]", "0.0.0.0", "*"]),
  ])("the host %s gives %s", async (host, verdict) => {
    // This request fills the cache of the last known host.
    await send(server, version, { target: ACCOUNTS }, {});
    expect(await send(server, version, { target: ACCOUNTS }, { host })).toBe(verdict);
  });

  test.each<[host: string, verdict: Verdict]>([
    ["10.0.0.1:8080", "served"],
    ["[2001:db8::1]", "served"],
    ["localhost", "served"],
    ["calltrack", "HOST_UNKNOWN"],
    ["10.0.0.1.evil.example", "HOST_UNKNOWN"],
  ])("beyond loopback, the host %s gives %s", async (host, verdict) => {
    expect(await send(open, version, { target: ACCOUNTS }, { host })).toBe(verdict);
  });

  test.each<[headers: Record<string, string>, verdict: Verdict]>([
    [{}, "served"],
    [{ "sec-fetch-site": "same-origin" }, "served"],
    [{ "sec-fetch-site": "none" }, "served"],
    [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, "served"],
    [{ "sec-fetch-site": "cross-site", origin: "http://localhost" }, "CROSS_SITE_REQUEST"],
    [{ "sec-fetch-site": "" }, "CROSS_SITE_REQUEST"],
    [{ host: "localhost:8080", origin: "http://localhost:8080" }, "served"],
    [{ host: "LOCALHOST", origin: "http://localhost" }, "served"],
    [{ host: "localhost:443", origin: "https://localhost" }, "served"],
    [{ host: "localhost", origin: "https://calls.example" }, "served"],
    [{ host: "localhost:8080", origin: "http://localhost:3000" }, "CROSS_SITE_REQUEST"],
    [{ host: "localhost:8080", origin: "http://127.0.0.1:8080" }, "CROSS_SITE_REQUEST"],
    [{ host: "localhost", origin: "https://other.example" }, "CROSS_SITE_REQUEST"],
    ...["null", "", "evil", "file://localhost", "chrome-extension://localhost", "http://localhost.evil.example"].map(
      (origin) => [{ host: "localhost", origin }, "CROSS_SITE_REQUEST"] as [Record<string, string>, Verdict],
    ),
  ])("a write with the headers %j gives %s", async (headers, verdict) => {
    const request = { method: "POST", target: ACCOUNTS, body: "{}" };
    expect(await send(server, version, request, headers)).toBe(verdict);
  });

  test.each<[method: string, target: string, verdict: Verdict]>([
    ["POST", `/api${PROPERTY}/visits`, "served"],
    ["POST", `/api${PROPERTY.replace("_", "-")}/visits?a=b`, "served"],
    ["OPTIONS", `/api${PROPERTY}/visits`, "served"],
    ["HEAD", `/api${ACCOUNTS}`, "served"],
    ["PUT", `/api${ACCOUNTS}/1`, "CROSS_SITE_REQUEST"],
    ["POST", `${PROPERTY}/visits`, "CROSS_SITE_REQUEST"],
    ["POST", "/api/dni_manager/accounts/acme/visits", "CROSS_SITE_REQUEST"],
    ["POST", `/api${ACCOUNTS}?x=${PROPERTY}/visits`, "CROSS_SITE_REQUEST"],
    ["POST", "/api/dni_manager/accounts/acme?/properties/shop/visits", "CROSS_SITE_REQUEST"],
    ["POST", NUMBERS_RPC, "served"],
    ["POST", `/api${NUMBERS_RPC}`, "served"],
    ["OPTIONS", NUMBERS_RPC, "served"],
    ["POST", "/calltracking.v1.DniService/ResolveCall", "CROSS_SITE_REQUEST"],
    ["POST", `${RPC}?x=${NUMBERS_RPC}`, "CROSS_SITE_REQUEST"],
    ["DELETE", "/api/", "CROSS_SITE_REQUEST"],
  ])("a cross-site %s %s gives %s", async (method, target, verdict) => {
    const headers = {
      "sec-fetch-site": "cross-site",
      ...(target.includes(".v1.") && { "content-type": "application/json" }),
    };
    expect(await send(open, version, { method, target, body: method === "HEAD" ? undefined : "{}" }, headers)).toBe(
      verdict,
    );
  });

  test.each([RPC, `/api${RPC}`])(
    "a Connect call from another origin to %s is rejected in Connect's format",
    async (target) => {
      const call = { method: "POST", target, body: {}, headers: { origin: "https://evil.example" } };
      const { text } = await sendHttp(version, open.port, call);
      expect(JSON.parse(text)).toMatchObject({ code: "permission_denied" });
    },
  );

  test.each(Object.keys(STATUS))("requests rejected with %s are counted", async (reason) => {
    const read = () => readMetric(server.opsUrl, `calltrack_refusals_total{reason="${reason}"}`);
    const before = await read();
    const headers = reason === "HOST_UNKNOWN" ? { host: "evil.example" } : { origin: "null" };
    await send(server, version, { method: "POST", target: ACCOUNTS, body: "{}" }, headers);
    expect(await read()).toBe(before + 1);
  });
});

test.each([
  ["keys", { keys: true, issuer: undefined }, "served"],
  // Browsers send the certificate with requests from any page.
  [
    "certificates",
    { keys: false, issuer: undefined, certificates: DEFAULT_CLIENT_CERTIFICATE_SCOPES },
    "CROSS_SITE_REQUEST",
  ],
] as const)("callers that authenticate with %s may use any host", async (_, auth, verdict) => {
  const server = await startTestServer("postgres", { auth, managesPools: false });
  for (const version of HTTP_VERSIONS) {
    const write = { method: "POST", target: ACCOUNTS, body: "{}" };
    expect(await send(server, version, write, { host: "evil.example" })).toBe("served");
    expect(await send(server, version, write, { origin: "https://evil.example" })).toBe(verdict);
    // A gateway can forward the origin of a page together with its own API key.
    const forwarded = { origin: "https://evil.example", authorization: "Bearer x" };
    expect(await send(server, version, write, forwarded)).toBe("served");
  }
  await server.stop();
});
