import { afterAll, describe, expect, test } from "vitest";
import type { ApiClient, RequestFields } from "../../testing/api-client.js";
import { createBearerHeaders, createTestAdminKey } from "../../testing/credentials.js";
import { createGrpcClient } from "../../testing/grpc-client.js";
import { createJsonClient } from "../../testing/json-client.js";
import {
  createAutomanagedPoolFields,
  getPoolKeyFields,
  newAccount,
  uniqueToken,
} from "../../testing/request-fields.js";
import { startTestServer } from "../../testing/test-server.js";
import {
  addNumbers,
  makePoolDue,
  newTrackedPool,
  type TrackedPool,
  uniqueAreaCode,
} from "../../testing/tracked-pool.js";

const DAY_MS = 24 * 60 * 60 * 1000;

const GOOGLE = { source: "google", medium: "cpc" };

const server = await startTestServer("postgres", { auth: { keys: true, issuer: undefined } });
const admin = createJsonClient(server.url, createBearerHeaders(await createTestAdminKey(server.database)));

afterAll(() => server.stop());

describe("a property token that two accounts use", () => {
  /**
   * Creates account A with a tracked source, and account B with a pool for A's property token and original number. The returned clients have an API
   * key of B.
   */
  async function newRivals() {
    const visits = { "google / cpc": 300 };
    const victim = await newTrackedPool({ api: admin, server }, { size: 1, utilization: 1, numbers: 1, visits });
    const account = await newAccount(admin);
    const { key } = await admin.createApiKey({ scopes: ["admin"], account_id: account.account_token });
    const [json, grpc] = [
      createJsonClient(server.url, createBearerHeaders(key)),
      createGrpcClient(server.port, createBearerHeaders(key)),
    ];
    const areaCode = uniqueAreaCode();
    await addNumbers(admin, areaCode, 1);
    await json.createPhoneNumber({ account_id: account.account_token, phone_number: victim.originalNumber });
    const fields = { area_code: areaCode, property_token: victim.property, size: 1, utilization: 1 };
    const pool = await json.createPool(createAutomanagedPoolFields(account, victim.originalNumber, fields));
    const visit = { event_id: "1", property_token: victim.property, ...GOOGLE, count: 500 };
    await json.recordVisits({ account_id: account.account_token, visits: [visit] });
    await makePoolDue(server, account.id, pool.id);
    await server.runDue();
    return { victim, shown: victim.trackers[0]?.tracking_number, account, pool, clients: [json, grpc] };
  }

  const numbersOn = async (api: ApiClient, page: TrackedPool["page"]) =>
    (await api.resolveNumbers({ ...page, ...GOOGLE })).map(({ number }) => number);

  test("shows each account its own numbers, even if both registered the same original number", async () => {
    const { victim, shown, account, pool, clients } = await newRivals();
    const [own] = (await admin.listCallTrackers(getPoolKeyFields(account, pool))).entries;
    expect(own?.status).toBe("active");
    for (const api of clients) {
      expect(await numbersOn(api, victim.page)).toEqual([shown]);
      const page = { ...victim.page, account_id: account.account_token };
      expect(await numbersOn(api, page)).toEqual([own?.tracking_number]);
    }
  });

  test("counts the visits of each account's pages separately", async () => {
    const { victim, account, pool, clients } = await newRivals();
    const visit = { ...victim.page, ...GOOGLE, source: "bing" };
    for (const api of clients) await api.reportVisit({ ...visit, event_id: uniqueToken("visit") });
    const sourcesOf = async (name: RequestFields) =>
      (await admin.explainPool(name)).sources.map(({ source, visits }) => [source, visits]);
    expect(await sourcesOf(victim.name)).toEqual([
      ["google", 300],
      ["bing", 2],
    ]);
    expect(await sourcesOf(getPoolKeyFields(account, pool))).toEqual([["google", 500]]);
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const whole = { from: new Date(today).toISOString(), to: new Date(today + DAY_MS).toISOString() };
    const named = { account_id: account.account_token, group_by: ["source", "medium"], ...whole };
    for (const api of clients) {
      const report = await api.reportCalls(named);
      expect(report.map(({ source, visits }) => [source, visits])).toEqual([["google", 500]]);
    }
  });

  test("answers for an unknown or disabled account, byte for byte, as for a property without pools", async () => {
    const { victim } = await newRivals();
    const answersOf = (account: string, property: string) => {
      const url = `${server.url}/dni_manager/accounts/${account}/properties/${property}`;
      const init = { method: "POST", body: new Blob([JSON.stringify({ ...GOOGLE, event_id: uniqueToken("visit") })]) };
      const requests = [fetch(`${url}/numbers?source=google&medium=cpc`), fetch(`${url}/visits`, init)];
      return Promise.all(requests.map(async (request) => readAll(await request)));
    };
    const { account_token: token, id } = victim.account;
    const empty = await answersOf(token, uniqueToken("nowhere"));
    expect(empty.map(({ status, body }) => [status, body])).toEqual([
      [200, "[]"],
      [200, "{}"],
    ]);
    expect(await answersOf(token, victim.property)).not.toEqual(empty);
    for (const account of [uniqueToken("nobody"), "2000000000"])
      expect(await answersOf(account, victim.property)).toEqual(empty);
    await admin.updateAccount({ id, is_active: false });
    for (const account of [token, String(id)]) expect(await answersOf(account, victim.property)).toEqual(empty);
  });
});

/** Reads a response, without the headers that differ from request to request. */
async function readAll(response: Response) {
  const volatile = new Set(["date", "x-request-id", "traceparent", "server-timing"]);
  const headers = [...response.headers].filter(([name]) => !volatile.has(name));
  return { status: response.status, headers, body: await response.text() };
}
