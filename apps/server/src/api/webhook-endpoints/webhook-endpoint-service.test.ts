import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { createJsonClient } from "../../testing/json-client.js";
import { createInvalidFieldRefusal, requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { newAccount } from "../../testing/request-fields.js";
import { startTestServer } from "../../testing/test-server.js";
import { deleteFinishedDeliveries } from "../../upkeep/expired-deliveries.js";
import { deleteExpiredEvents } from "../../upkeep/expired-events.js";

const URL = "https://hooks.example/calltrack";
const NOBODY = "0190b8f1-0000-7000-8000-000000000000";

describeBehavior("webhook endpoints", (service) => {
  async function newEndpoint(fields: object = {}) {
    const { account_token: account_id } = await newAccount(service.api);
    const created = await service.api.createWebhookEndpoint({ account_id, url: URL, ...fields });
    return { account_id, created, name: { account_id, webhook_endpoint_id: created.webhook_endpoint.id } };
  }

  test("are created with defaults, read, listed and updated; the secret is shown once", async () => {
    const { api } = service;
    const { account_id, created, name } = await newEndpoint();
    expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created.webhook_endpoint).toMatchObject({
      ...{ account_token: account_id, url: URL, description: null, types: [], payload: "full", ordered: false },
      ...{ concurrency: 10, max_age: "86400s", is_active: true, inactive_reason: null },
      secrets: [{ expires_at: null, is_readable: true }],
    });
    expect(await api.getWebhookEndpoint(name)).toEqual(created.webhook_endpoint);
    expect((await api.listWebhookEndpoints({ account_id })).entries).toEqual([created.webhook_endpoint]);
    const change = { description: "the CRM", payload: "thin", ordered: true, concurrency: 50, max_age: "60s" };
    const types = { types: { types: ["call.*", "pool.created", "call.*"] } };
    const updated = await api.updateWebhookEndpoint({ ...name, ...change, ...types });
    expect(updated).toMatchObject({ ...change, types: ["call.*", "pool.created"], url: URL });
    expect(await api.updateWebhookEndpoint({ ...name, description: "", types: {}, is_active: false })).toMatchObject({
      ...{ description: null, types: [], is_active: false, inactive_reason: "is_active was set to false" },
    });
    expect(JSON.stringify(await api.getWebhookEndpoint(name))).not.toContain(created.secret);
    const { rows } = await sql<{
      text: string;
    }>`select row_to_json(webhook_endpoints)::text as text from webhook_endpoints`.execute(
      service.server.database.kysely,
    );
    expect(JSON.stringify(rows)).not.toContain(created.secret.slice(6));
  });

  test("reject invalid fields, all at once", async () => {
    const { api } = service;
    const { account_token: account_id } = await newAccount(api);
    const fields = {
      url: "http://127.0.0.1/",
      types: ["call.*", "calls"],
      concurrency: 51,
      max_age: "0s",
      request_id: "1",
    };
    expect(await requireRefusedFields(api.createWebhookEndpoint({ account_id, ...fields }))).toEqual(
      ["concurrency", "max_age", "request_id", "types[1]", "url"].toSorted(),
    );
    expect(await requireRefusal(api.createWebhookEndpoint({ account_id }))).toMatchObject(
      createInvalidFieldRefusal("url", "is required"),
    );
    const { name } = await newEndpoint();
    const change = { url: "https://10.0.0.1/", concurrency: 0, types: { types: ["x"] } };
    expect(await requireRefusedFields(api.updateWebhookEndpoint({ ...name, ...change }))).toEqual(
      ["concurrency", "types.types[0]", "url"].toSorted(),
    );
    expect(await requireRefusedFields(api.redeliverWebhookDeliveries(name))).toEqual(["since"]);
  });

  test("of another account, and unknown ones, do not exist", async () => {
    const { api } = service;
    const { name } = await newEndpoint();
    const { account_token: account_id } = await newAccount(api);
    for (const of of [
      { ...name, account_id },
      { ...name, webhook_endpoint_id: NOBODY },
      { ...name, webhook_endpoint_id: "x" },
    ]) {
      const calls = [
        ...[api.getWebhookEndpoint, api.updateWebhookEndpoint, api.deleteWebhookEndpoint, api.resumeWebhookEndpoint],
        ...[api.rotateWebhookEndpointSecret, api.testWebhookEndpoint, api.listWebhookDeliveries],
      ].map((call) => requireRefusal(call(of) as Promise<unknown>));
      for (const refusal of await Promise.all(calls))
        expect(refusal).toMatchObject({ reason: "WEBHOOK_ENDPOINT_NOT_FOUND" });
    }
  });

  test("are created once for each request id, and rotated once", async () => {
    const { api } = service;
    const { account_token: account_id } = await newAccount(api);
    const request = { account_id, url: URL, request_id: crypto.randomUUID() };
    const first = await api.createWebhookEndpoint(request);
    expect(await api.createWebhookEndpoint(request)).toEqual(first);
    const rotation = { account_id, webhook_endpoint_id: first.webhook_endpoint.id, request_id: crypto.randomUUID() };
    const rotated = await api.rotateWebhookEndpointSecret(rotation);
    expect(await api.rotateWebhookEndpointSecret(rotation)).toEqual(rotated);
    expect(rotated.secret).not.toBe(first.secret);
    expect(rotated.webhook_endpoint.secrets.map(({ expires_at }) => expires_at === null)).toEqual([false, true]);
  });

  test("are updated only if their etag matches", async () => {
    const { api } = service;
    const { name } = await newEndpoint();
    const etag = await api.etagFrom("getWebhookEndpoint", name);
    await api.updateWebhookEndpoint({ ...name, concurrency: 5, etag });
    expect(await requireRefusal(api.updateWebhookEndpoint({ ...name, concurrency: 6, etag }))).toMatchObject({
      reason: "ETAG_MISMATCH",
    });
    const concurrent = Array.from({ length: 10 }, (_, index) =>
      api.updateWebhookEndpoint({ ...name, concurrency: index + 1 }),
    );
    expect(new Set((await Promise.all(concurrent)).map(({ updated_at }) => updated_at)).size).toBe(10);
  });

  test("are at most 20 for an account", async () => {
    const { api } = service;
    const { account_id } = await newEndpoint();
    for (let count = 1; count < 20; count++) await api.createWebhookEndpoint({ account_id, url: URL });
    expect(await requireRefusal(api.createWebhookEndpoint({ account_id, url: URL }))).toMatchObject({
      reason: "WEBHOOK_ENDPOINT_LIMIT_REACHED",
    });
  });

  test("are deleted once, with an audit entry that has the state before only", async () => {
    const { api } = service;
    const { account_id, name, created } = await newEndpoint();
    await api.deleteWebhookEndpoint(name);
    expect(await requireRefusal(api.deleteWebhookEndpoint(name))).toMatchObject({
      reason: "WEBHOOK_ENDPOINT_NOT_FOUND",
    });
    const { entries } = await api.listAuditEntries({ account_id });
    expect(entries.map(({ method }) => method)).toEqual([
      "DeleteWebhookEndpoint",
      "CreateWebhookEndpoint",
      "CreateAccount",
    ]);
    expect(entries[0]).toMatchObject({ resource_type: "webhook_endpoint", after: null, before: { url: URL } });
    expect(entries[1]).toMatchObject({ before: null, after: { id: created.webhook_endpoint.id } });
    expect(JSON.stringify(entries)).not.toContain("secret");
    const events = (await api.listEvents({ account_id, types: ["webhook_endpoint.*"] })).entries;
    expect(events.map(({ type }) => type)).toEqual(["webhook_endpoint.created", "webhook_endpoint.deleted"]);
    expect(JSON.stringify(events)).not.toContain(URL);
  });

  test("list their deliveries newest first, in pages and by status", async () => {
    const { api } = service;
    const { name } = await newEndpoint();
    const ids = [];
    for (let count = 0; count < 3; count++) ids.unshift((await api.testWebhookEndpoint(name)).id);
    const list = async (fields: object) =>
      (await api.listWebhookDeliveries({ ...name, ...fields })).entries.map(({ id }) => id);
    expect(await list({})).toEqual(ids);
    const { entries, nextPageToken } = await api.listWebhookDeliveries({ ...name, page_size: 2 });
    expect(entries.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(await list({ page_size: 2, page_token: nextPageToken })).toEqual(ids.slice(2));
    expect([await list({ status: "waiting" }), await list({ status: "dead" })]).toEqual([ids, []]);
    const other = { ...name, status: "dead", page_token: nextPageToken };
    expect(await requireRefusal(api.listWebhookDeliveries(other))).toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
  });

  test("lose finished deliveries after seven days, and those whose endpoint no longer exists", async () => {
    const { api, server } = service;
    const { db, kysely } = server.database;
    const old = await newEndpoint();
    const deleted = await newEndpoint();
    const [finished, waiting] = [await api.testWebhookEndpoint(old.name), await api.testWebhookEndpoint(old.name)];
    await api.testWebhookEndpoint(deleted.name);
    await api.deleteWebhookEndpoint(deleted.name);
    await sql`update webhook_deliveries set status = 'delivered', due_at = null where position = ${finished.id}::text::bigint`.execute(
      kysely,
    );
    await sql`update events set occurred_at = now() - interval '8 days'`.execute(kysely);
    await pause(10);
    const recent = await api.testWebhookEndpoint(old.name);
    await deleteFinishedDeliveries(db);
    const left = async () => (await api.listWebhookDeliveries(old.name)).entries.map(({ id }) => id);
    expect(await left()).toEqual([recent.id, waiting.id]);
    const { rows } =
      await sql`select from webhook_deliveries where endpoint_id = ${deleted.name.webhook_endpoint_id}`.execute(kysely);
    expect(rows).toEqual([]);
    await deleteExpiredEvents(db, 24 * 3_600_000);
    expect((await api.listWebhookDeliveries(old.name)).entries.map(({ event }) => event === null)).toEqual([
      false,
      true,
    ]);
    // The sender ends the waiting delivery of an event that no longer exists. Otherwise, the next events of its resource would wait for ever.
    await deleteFinishedDeliveries(db);
    expect(await left()).toEqual([recent.id, waiting.id]);
  });
});

describe("a server without SECRETS_KEY", () => {
  test("creates no webhook endpoints", async () => {
    const server = await startTestServer("postgres", { secretKeys: undefined });
    const api = createJsonClient(server.url);
    const { account_token: account_id } = await newAccount(api);
    expect(await requireRefusal(api.createWebhookEndpoint({ account_id, url: URL }))).toMatchObject({
      reason: "SECRETS_KEY_MISSING",
    });
    await server.stop();
  });
});
