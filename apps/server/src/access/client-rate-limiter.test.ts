import { afterAll, describe, expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { createBearerHeaders, createTestAdminKey } from "../testing/credentials.js";
import { expectErrorShape } from "../testing/error-shape.js";
import { createGrpcClient } from "../testing/grpc-client.js";
import { HTTP_VERSIONS, type HttpVersion, sendHttp } from "../testing/http-request.js";
import { startIssuer } from "../testing/issuer.js";
import { createJsonClient } from "../testing/json-client.js";
import { requireRefusal } from "../testing/refusal.js";
import { startTestServer, type TestServer, type TestServerConfig } from "../testing/test-server.js";

const KEYS = { keys: true, issuer: undefined };

const ACCOUNTS = "/call_tracking/accounts";
const INVENTORY = "/dni_manager/tracking_numbers";
const NUMBERS = "/dni_manager/accounts/acme/properties/shop/numbers";

function serve(environment: Readonly<Record<string, string>>, config: TestServerConfig = {}): Promise<TestServer> {
  return startTestServer("postgres", {
    ...config,
    limits: readConfig(environment).limits,
    managesPools: false,
  });
}

describe("rate limits of callers", async () => {
  const server = await serve({ RATE_LIMIT_CALLER: "3/h" }, { auth: KEYS });

  afterAll(() => server.stop());

  const send = (version: HttpVersion, key: string) =>
    sendHttp(version, server.port, { target: ACCOUNTS, headers: createBearerHeaders(key) });

  test.each(HTTP_VERSIONS)("are separate over %s, and report the remaining quota", async (version) => {
    const [key, other] = [await createTestAdminKey(server.database), await createTestAdminKey(server.database)];
    for (const remaining of [2, 1, 0]) {
      const { status, headers } = await send(version, key);
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        ratelimit: expect.stringMatching(`^"caller";r=${remaining};t=\\d+$`),
        "ratelimit-policy": '"caller";q=3;w=3600',
      });
    }
    const refused = await send(version, key);
    expect(refused.headers).toMatchObject({ ratelimit: expect.stringMatching(/;r=0;t=1[12]\d\d$/) });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(1100);
    const refusal = expectErrorShape(refused.status, refused.headers["content-type"], refused.text);
    expect(refused.status).toBe(429);
    expect(refusal).toMatchObject({ status: "RESOURCE_EXHAUSTED", reason: "RATE_LIMIT_EXCEEDED" });
    expect(refusal.details[0]).toMatchObject({ retry_delay: expect.stringMatching(/^1[12]\d\ds$/) });
    expect(await send(version, other)).toMatchObject({ status: 200 });
  });

  test("are shared with gRPC", async () => {
    const key = await createTestAdminKey(server.database);
    const grpc = createGrpcClient(server.port, createBearerHeaders(key));
    const json = createJsonClient(server.url, createBearerHeaders(key));
    await json.listAccounts();
    for (let turn = 0; turn < 2; turn++) await grpc.listAccounts();
    expect(await requireRefusal(grpc.listAccounts())).toMatchObject({
      status: "RESOURCE_EXHAUSTED",
      reason: "RATE_LIMIT_EXCEEDED",
    });
    grpc.close();
  });
});

describe("rate limits of addresses, with authentication,", async () => {
  const server = await serve({ RATE_LIMIT_ADDRESS: "2/h", TRUSTED_PROXIES: "127.0.0.0/8" }, { auth: KEYS });

  afterAll(() => server.stop());

  const send = (address: string, target: string, headers: Readonly<Record<string, string>> = {}) =>
    sendHttp("HTTP/1.1", server.port, { target, headers: { ...headers, "x-forwarded-for": address } });

  test("apply to public methods, and not to authenticated callers", async () => {
    const key = await createTestAdminKey(server.database);
    for (const status of [200, 200, 429]) expect(await send("198.51.100.1", NUMBERS)).toMatchObject({ status });
    expect(await send("198.51.100.2", NUMBERS)).toMatchObject({ status: 200 });
    for (let turn = 0; turn < 4; turn++) {
      expect(await send("198.51.100.1", ACCOUNTS, createBearerHeaders(key))).toMatchObject({ status: 200 });
    }
    expect(await send("198.51.100.1", "/healthz")).toMatchObject({ status: 200 });
  });

  test("reject all requests from an address after too many failed logins, even with a valid key", async () => {
    const key = await createTestAdminKey(server.database);
    for (const [target, status] of [
      [ACCOUNTS, 401],
      [INVENTORY, 401],
      [ACCOUNTS, 429],
      [INVENTORY, 429],
    ] as const) {
      expect(await send("2001:db8:1::1", target, createBearerHeaders("ct_guess"))).toMatchObject({ status });
    }
    expect(await send("2001:db8:1::2", ACCOUNTS, createBearerHeaders(key))).toMatchObject({ status: 429 });
    expect(await send("2001:db8:2::1", ACCOUNTS, createBearerHeaders(key))).toMatchObject({ status: 200 });
    expect(await send("2001:db8:1::1", NUMBERS)).toMatchObject({ status: 200 });
  });
});

test("rate limits of addresses, without authentication, apply to all calls except health checks", async () => {
  const server = await serve({ RATE_LIMIT_ADDRESS: "3/h" });
  const [json, grpc] = [createJsonClient(server.url), createGrpcClient(server.port)];
  await json.listAccounts();
  await grpc.listAccounts();
  // Without a trusted proxy, the header is ignored.
  const headers = { "x-forwarded-for": "198.51.100.1" };
  const last = await sendHttp("HTTP/2", server.port, { target: ACCOUNTS, headers });
  expect(last.headers).toMatchObject({ ratelimit: expect.stringMatching(/^"address";r=0;/) });
  expect(await requireRefusal(grpc.listAccounts())).toMatchObject({ reason: "RATE_LIMIT_EXCEEDED" });
  expect(await requireRefusal(json.listAccounts())).toMatchObject({ reason: "RATE_LIMIT_EXCEEDED" });
  const check = { method: "POST", target: "/grpc.health.v1.Health/Check", body: {} };
  expect(await sendHttp("HTTP/1.1", server.port, check)).toMatchObject({ status: 200 });
  grpc.close();
  await server.stop();
});

test("an unavailable issuer does not count as failed logins", async () => {
  const issuer = await startIssuer();
  const token = await issuer.sign({ scope: "read" });
  await issuer.stop();
  const server = await serve({ RATE_LIMIT_ADDRESS: "1/h" }, { auth: { keys: false, issuer: issuer.settings } });
  const { listAccounts } = createJsonClient(server.url, createBearerHeaders(token));
  for (let turn = 0; turn < 3; turn++) {
    expect(await requireRefusal(listAccounts())).toMatchObject({ reason: "ISSUER_UNAVAILABLE" });
  }
  await issuer.start();
  await expect.poll(() => listAccounts().catch(() => undefined)).toMatchObject({ entries: [] });
  await issuer.stop();
  await server.stop();
});

test("tells a rejected client to wait for at least one second", async () => {
  const server = await serve({ RATE_LIMIT_ADDRESS: "10/s" });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => sendHttp("HTTP/1.1", server.port, { target: ACCOUNTS })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) expect(headers["retry-after"]).toBe("1");
  await server.stop();
});
