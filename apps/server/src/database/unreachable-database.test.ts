import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import type { AccountJson, ApiClient } from "../testing/api-client.js";
import { createGrpcClient } from "../testing/grpc-client.js";
import { createJsonClient } from "../testing/json-client.js";
import { createProxiedDatabase } from "../testing/proxied-database.js";
import { requireRefusal } from "../testing/refusal.js";
import { newAccount } from "../testing/request-fields.js";
import { createTestLog } from "../testing/test-log.js";
import { serveDatabase } from "../testing/test-server.js";

const { url, proxy } = await createProxiedDatabase();
const { log, lines } = createTestLog("warn");
const server = await serveDatabase({ kind: "postgres", url: url.href }, { parts: { log } });
const clients = [createJsonClient(server.url), createGrpcClient(server.port)];

afterAll(async () => {
  for (const client of clients) client.close();
  await server.stop();
  await proxy.close();
});

async function readiness(): Promise<unknown> {
  const response = await fetch(`${server.url}/readyz`);
  return [response.status, await response.json()];
}

test("requests return UNAVAILABLE while the database is unreachable, and succeed when it is reachable again", async () => {
  // Creates the accounts one after the other, because lists are ordered by creation time.
  const accounts: AccountJson[] = [];
  for (const client of clients) accounts.push(await newAccount(client));
  expect(await readiness()).toEqual([200, { status: "ready" }]);

  const calls = [
    newAccount,
    (api: ApiClient) => api.listAccounts(),
    (api: ApiClient) => api.getAccount({ id: accounts[0]?.id }),
  ];
  await proxy.close();
  for (const client of clients) {
    for (const call of calls) {
      expect(await requireRefusal(call(client))).toMatchObject({
        status: "UNAVAILABLE",
        message: "the service cannot reach its database: retry later",
        reason: "UNAVAILABLE",
      });
    }
  }
  expect(await readiness()).toEqual([503, { status: "not ready" }]);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);

  await proxy.open();
  for (const client of clients) expect((await client.listAccounts()).entries).toEqual(accounts);
  expect(await readiness()).toEqual([200, { status: "ready" }]);
});

test("invalid requests are still rejected with their violations", async () => {
  await proxy.close();
  for (const client of clients) {
    expect(await requireRefusal(client.createAccount())).toMatchObject({ reason: "FIELD_INVALID" });
  }
  await proxy.open();
});

test("requests that fail during an outage do not fill the log", async () => {
  await proxy.close();
  const form = { method: "POST", body: new URLSearchParams({ call_id: "1" }) };
  const webhooks = Array.from({ length: 40 }, () => fetch(`${server.url}/telephony/${randomUUID()}/voice`, form));
  const lists = Array.from({ length: 40 }, () => fetch(`${server.url}/call_tracking/accounts`));
  for (const { status } of await Promise.all([...webhooks, ...lists])) expect(status).toBe(503);
  await proxy.open();
  const countLines = (message: string, method?: string) =>
    lines.filter((line) => line.msg === message && line.method === method).length;
  // The log contains at most ten of these lines per minute, and the test may span two minutes.
  expect(countLines("a request failed, because the database cannot be reached")).toBeLessThanOrEqual(20);
  expect(countLines("request")).toBeLessThanOrEqual(20);
  expect(countLines("request", "calltracking.v1.AccountService/ListAccounts")).toBeLessThanOrEqual(20);
});

test("health checks are answered while the database does not respond", async () => {
  const silent = await serveDatabase({ kind: "postgres", url: url.href, statementTimeoutMs: 0 });
  expect((await fetch(`${silent.url}/readyz`)).status).toBe(200);
  proxy.hold();
  await expect.poll(async () => (await fetch(`${silent.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${silent.url}/healthz`)).status).toBe(200);
  proxy.release();
  await expect.poll(async () => (await fetch(`${silent.url}/readyz`)).status).toBe(200);
  await silent.stop();
});
