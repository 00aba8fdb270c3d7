import { randomUUID } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { API_SERVICES, type ApiMethods } from "@calltrack/domain";
import type { Client } from "@grpc/grpc-js";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient, AuditEntryJson, NewApiKeyJson, RequestFields } from "../../testing/api-client.js";
import { PROTOCOLS, type Protocol } from "../../testing/behavior.js";
import { type CallOutcome, callGrpc, callJson } from "../../testing/call-method.js";
import { countWaitingStatements } from "../../testing/count-waiting.js";
import { createBearerHeaders, createTestAdminKey } from "../../testing/credentials.js";
import { createGrpcClient, createGrpcConnection } from "../../testing/grpc-client.js";
import { type Issuer, startIssuer } from "../../testing/issuer.js";
import { createJsonClient } from "../../testing/json-client.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import {
  createManualPoolFields,
  newAccount,
  newAccountWithNumber,
  uniqueNumber,
} from "../../testing/request-fields.js";
import { newSampleAccount, type SampleAccount, sampleRequests } from "../../testing/sample-requests.js";
import { SERVER_ENGINES } from "../../testing/test-database.js";
import { startTestServer, type TestServer } from "../../testing/test-server.js";
import { deleteExpiredAuditEntries } from "../../upkeep/expired-rows.js";
import { METHOD_ROWS } from "../method-catalog.js";

const METHODS: readonly DescMethod[] = API_SERVICES.flatMap(({ methods }) => methods);

const audited = (method: DescMethod) => METHOD_ROWS.get(method)?.audits;

const newNumbers = () => ({ tracking_numbers: [{ phone_number: uniqueNumber(), area_code: "1" }] });

/** Requests that cause a change each time, for methods whose sample request changes nothing when it is repeated. */
const CHANGING: { readonly [M in keyof ApiMethods]?: () => RequestFields } = {
  addTrackingNumbers: newNumbers,
  importTrackingNumbers: newNumbers,
};

describe.each(SERVER_ENGINES)("the audit log, on %s", (engine) => {
  let server: TestServer;
  let issuer: Issuer;
  let grpc: Client;
  let adminKey: string;
  /** The API key with which the clients authenticate, unless a test uses another credential. */
  let made: NewApiKeyJson;
  let clients: Readonly<Record<Protocol, ApiClient>>;

  beforeAll(async () => {
    issuer = await startIssuer();
    server = await startTestServer(engine, { auth: { keys: true, issuer: issuer.settings }, hasVirtualClock: true });
    adminKey = await createTestAdminKey(server.database);
    made = await createJsonClient(server.url, createBearerHeaders(adminKey)).createApiKey({ scopes: ["admin"] });
    grpc = createGrpcConnection(server.port);
    const headers = createBearerHeaders(made.key);
    clients = { json: createJsonClient(server.url, headers), grpc: createGrpcClient(server.port, headers) };
  });

  afterAll(async () => {
    grpc?.close();
    for (const client of Object.values(clients ?? {})) client.close();
    await server?.stop();
    await issuer?.stop();
  });

  const actorOf = ({ api_key: { id, prefix } }: NewApiKeyJson) =>
    ({ kind: "api_key", id, api_key_prefix: prefix, issuer: null }) as const;

  /** Lists the changes of a resource, oldest first. */
  async function historyOf(resource_id: string, account_id?: string, api = clients.json) {
    const request = account_id === undefined ? { resource_id } : { resource_id, account_id };
    return (await api.listAuditEntries(request)).entries.toReversed();
  }

  /** Lists the newest entries of an account, and the newest entries that belong to no account. */
  async function newest({ token }: SampleAccount): Promise<readonly AuditEntryJson[]> {
    const pages = [{ account_id: token }, {}].map((list) => clients.json.listAuditEntries({ ...list, page_size: 5 }));
    return (await Promise.all(pages)).flatMap(({ entries }) => entries);
  }

  describe.each(PROTOCOLS)("over %s", (protocol) => {
    const call = (method: DescMethod, request: RequestFields): Promise<CallOutcome | undefined> =>
      protocol === "json"
        ? callJson(server.url, method, request, createBearerHeaders(made.key))
        : callGrpc(grpc, method, request, createBearerHeaders(made.key));

    test("records the caller of every method that changes something, and no other calls", async () => {
      const api = clients[protocol];
      const account = await newSampleAccount(api, server);
      for (const method of METHODS) {
        const name = method.localName as keyof ApiMethods;
        const before = new Set((await newest(account)).map(({ id }) => id));
        const request = CHANGING[name]?.() ?? sampleRequests[name](account);
        const outcome = await call(method, request);
        if (outcome === undefined) continue;
        expect(outcome.status, method.name).toBe("OK");
        const { account_token: account_id } = request;
        const own = name === "createAccount" ? (await api.listAuditEntries({ account_id })).entries : [];
        const entries = [...(await newest(account)).filter(({ id }) => !before.has(id)), ...own];
        const resource_type = audited(method);
        expect(entries.length > 0, method.name).toBe(resource_type !== undefined);
        for (const entry of entries) {
          expect(entry).toMatchObject({ method: method.name, actor: actorOf(made), resource_type });
        }
      }
    });

    test("records each resource before and after, with the field names of the API", async () => {
      const api = clients[protocol];
      const account = await newSampleAccount(api, server);
      const { id, token, pool, callTracker, number, numberId, trackingNumber, apiKeyId } = account;
      const shown = (resource: string, account_id?: string) => historyOf(resource, account_id, api);
      const createdAccount = await api.getAccount({ id });
      await api.updateAccount({ id, is_active: true });
      const updatedAccount = await api.getAccount({ id });
      expect(await shown(String(id), token)).toMatchObject([
        {
          resource_type: "account",
          resource_id: String(id),
          account_token: token,
          before: null,
          after: createdAccount,
        },
        { method: "UpdateAccount", before: createdAccount, after: updatedAccount },
      ]);
      const { account_token: _, ...phoneNumber } = await api.getPhoneNumber({
        account_id: token,
        phone_number_id: numberId,
      });
      expect(phoneNumber.phone_number).toBe(number);
      expect(await shown(numberId, token)).toMatchObject([
        { resource_type: "phone_number", before: null, after: phoneNumber },
      ]);
      const { account_token: _1, ...created } = await api.getPool(pool);
      const { account_token: _2, ...updated } = await api.updatePool({ ...pool, size: 9 });
      expect(await shown(String(pool.pool_id).toUpperCase(), token)).toMatchObject([
        { method: "CreatePool", resource_type: "pool", before: null, after: created },
        { method: "UpdatePool", before: created, after: updated },
      ]);
      const states = [await api.getCallTracker(callTracker)];
      states.push(await api.updateCallTracker({ ...callTracker, description: "leaflet" }));
      states.push(await api.flagCallTracker(callTracker));
      const [available, active, flagged] = states.map(({ original_number, original_number_id, ...own }) => own);
      expect(await shown(String(callTracker.call_tracker_id), token)).toMatchObject([
        { method: "UpdateCallTracker", resource_type: "call_tracker", before: available, after: active },
        { method: "FlagCallTracker", before: active, after: flagged },
      ]);
      const assigned = { phone_number: trackingNumber, state: "assigned", account_id: id, pool_id: pool.pool_id };
      const { rests_until, ...retiring } = await api.retireTrackingNumber({ phone_number: trackingNumber });
      const free = { state: "free", pool_id: null };
      expect(await shown(trackingNumber)).toMatchObject([
        { resource_type: "tracking_number", account_token: null, before: null, after: free },
        { method: "RetireTrackingNumber", before: assigned, after: retiring },
      ]);
      const key = await api.getApiKey({ api_key_id: apiKeyId });
      const revoked = await api.revokeApiKey({ api_key_id: apiKeyId });
      expect(await shown(apiKeyId, token)).toMatchObject([
        { resource_type: "api_key", before: null, after: key },
        { method: "RevokeApiKey", before: key, after: revoked },
      ]);
      const advanced = await api.advanceClock({ by: "60s" });
      const [clock] = (await api.listAuditEntries({ resource_id: "clock" })).entries;
      expect(clock).toMatchObject({ resource_type: "clock", method: "AdvanceClock" });
      const [from, to] = [clock?.before, clock?.after].map((state) => Date.parse(String(state?.now)));
      expect(to).toBeGreaterThan(from ?? Number.NaN);
      expect(Date.parse(advanced.now)).toBeGreaterThanOrEqual(to ?? Number.NaN);
    });

    test("is listed page by page, newest first", async () => {
      const api = clients[protocol];
      const { account } = await newAccountWithNumber(api);
      for (const is_active of [false, true]) await api.updateAccount({ id: account.id, is_active });
      const account_id = account.account_token;
      const { entries } = await api.listAuditEntries({ account_id });
      expect(entries.map(({ method }) => method)).toEqual([
        ...["UpdateAccount", "UpdateAccount"],
        ...["CreatePhoneNumber", "CreateAccount"],
      ]);
      const ids = entries.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted().reverse());
      const first = await api.listAuditEntries({ account_id, page_size: 3 });
      const second = await api.listAuditEntries({ account_id, page_size: 3, page_token: first.nextPageToken });
      expect([...first.entries, ...second.entries]).toEqual(entries);
      expect(second.nextPageToken).toBe("");
      const [since, until] = [entries[2]?.occurred_at, entries[1]?.occurred_at];
      const between = (await api.listAuditEntries({ account_id, since, until })).entries;
      const isBetween = ({ occurred_at }: AuditEntryJson) =>
        Date.parse(occurred_at) >= Date.parse(since ?? "") && Date.parse(occurred_at) < Date.parse(until ?? "");
      expect(between).toEqual(entries.filter(isBetween));
      for (const other of [{}, { account_id, actor_id: "somebody/else" }, { account_id, since }]) {
        const refusal = await requireRefusal(api.listAuditEntries({ ...other, page_token: first.nextPageToken }));
        expect(refusal.reason).toBe("PAGE_TOKEN_INVALID");
      }
    });

    test("rejects invalid filters", async () => {
      const wrong = { account_id: "", resource_id: "", actor_id: "", since: "0001-01-01T00:00:00Z", page_size: 0 };
      const fields = await requireRefusedFields(clients[protocol].listAuditEntries(wrong));
      expect(fields).toEqual(Object.keys(wrong).toSorted());
    });
  });

  test("has no entry for a rejected change", async () => {
    const api = clients.json;
    const { token, id, number, pool, trackingNumber, callTracker } = await newSampleAccount(api, server);
    const count = async () =>
      (await api.listAuditEntries({ account_id: token })).entries.length +
      (await api.listAuditEntries({ resource_id: trackingNumber })).entries.length;
    const before = await count();
    const reasons = [
      requireRefusal(api.createAccount({ account_token: token })),
      requireRefusal(api.createPhoneNumber({ account_id: token, phone_number: number })),
      requireRefusal(api.createPhoneNumber({ account_id: token, phone_number: trackingNumber })),
      requireRefusal(api.updatePool({ ...pool, size: 0 })),
      requireRefusal(api.updatePool({ ...pool, size: 3, etag: '"another"' })),
      requireRefusal(api.createPool(createManualPoolFields({ account_token: token } as never, uniqueNumber()))),
      requireRefusal(api.flagCallTracker(callTracker)),
      api.addTrackingNumbers({ tracking_numbers: [{ phone_number: trackingNumber, area_code: "9" }] }),
    ];
    await Promise.all(reasons);
    expect(await count()).toBe(before);
    await api.updateAccount({ id, is_active: false });
    await requireRefusal(api.createPool(createManualPoolFields({ account_token: token } as never, number)));
    expect(await count()).toBe(before + 1);
  });

  test("has one entry for an idempotent creation, however often it is retried", async () => {
    const { account, number } = await newAccountWithNumber(clients.json);
    const request = { ...createManualPoolFields(account, number), request_id: randomUUID() };
    const pools = await Promise.all([1, 2, 3].map(() => clients.grpc.createPool(request)));
    expect(new Set(pools.map(({ id }) => id)).size).toBe(1);
    expect(await historyOf(pools[0]?.id ?? "", account.account_token)).toHaveLength(1);
  });

  test("has an entry for an update without effect, and none for an update without fields", async () => {
    const { token, pool } = await newSampleAccount(clients.json, server);
    const { size, updated_at } = await clients.json.getPool(pool);
    const again = await clients.json.updatePool({ ...pool, size });
    await clients.json.updatePool(pool);
    const [, update, ...others] = await historyOf(String(pool.pool_id), token);
    expect(update?.before).toEqual({ ...update?.after, updated_at });
    expect(update?.after).toMatchObject({ updated_at: again.updated_at });
    expect(others).toEqual([]);
  });

  /** Runs concurrent updates of an account or its pool, some of which start before the first ends. */
  async function updateConcurrently({ id }: SampleAccount, start: () => readonly Promise<unknown>[]): Promise<void> {
    // On a cluster the waiting statements cannot be observed.
    if (engine !== "postgres") return void (await Promise.all(start()));
    const { kysely } = server.database;
    const updates = await kysely.transaction().execute(async (transaction) => {
      await transaction.selectFrom("accounts").select("id").where("id", "=", id).forUpdate().execute();
      await transaction.selectFrom("pools").select("id").where("account_id", "=", id).forUpdate().execute();
      const started = Promise.all(start());
      // Within a transaction, `pg_stat_activity` does not change until its snapshot is cleared.
      const clear = sql`select pg_stat_clear_snapshot()`;
      await expect
        .poll(() => clear.execute(transaction).then(() => countWaitingStatements(transaction)))
        .toBeGreaterThan(1);
      return [started];
    });
    await Promise.all(updates);
  }

  test("has a consistent sequence of states for concurrent updates", async () => {
    const api = clients.grpc;
    const account = await newSampleAccount(api, server);
    const { id, token, pool, callTracker } = account;
    const eight = Array.from({ length: 8 }, (_, index) => index);
    await updateConcurrently(account, () => eight.map((index) => api.updatePool({ ...pool, size: 20 + index })));
    await updateConcurrently(account, () =>
      eight.map((index) => api.updateAccount({ id, is_active: index % 2 === 0 })),
    );
    await api.updateAccount({ id, is_active: true });
    await updateConcurrently(account, () =>
      eight.map((index) => api.updateCallTracker({ ...callTracker, description: `${index}` })),
    );
    for (const [resource, length] of [
      [String(pool.pool_id), 1 + 8],
      [String(id), 1 + 8 + 1],
      [String(callTracker.call_tracker_id), 8],
    ] as const) {
      const history = await historyOf(resource, token);
      expect(history).toHaveLength(length);
      for (const [index, { before }] of history.entries()) {
        if (index > 0) expect(before).toEqual(history[index - 1]?.after);
      }
    }
  });

  test("has the right creator for each of several concurrently created pools", async () => {
    const { account, number } = await newAccountWithNumber(clients.json);
    const keys = await Promise.all([1, 2, 3].map(() => clients.json.createApiKey({ scopes: ["write"] })));
    const creators = new Map<string, NewApiKeyJson>();
    const create = async (key: NewApiKeyJson) => {
      const client = createJsonClient(server.url, createBearerHeaders(key.key));
      creators.set((await client.createPool(createManualPoolFields(account, number))).id, key);
    };
    await Promise.all(Array.from({ length: 6 }, () => keys.map(create)).flat());
    expect(creators.size).toBe(18);
    const { entries } = await clients.json.listAuditEntries({ account_id: account.account_token, page_size: 18 });
    for (const { resource_id, actor, after } of entries) {
      expect(actor).toEqual(actorOf(creators.get(resource_id) as NewApiKeyJson));
      expect(after).toMatchObject({ id: resource_id });
    }
  });

  test("identifies changes by access tokens and by the command line", async () => {
    const subjects = ["alice", "bob/builder", "\ufffd"];
    const account = await newAccount(clients.json);
    for (const [index, sub] of subjects.entries()) {
      const client = createJsonClient(server.url, createBearerHeaders(await issuer.sign({ scope: "write", sub })));
      await client.updateAccount({ id: account.id, is_active: index === 0 });
    }
    const { entries } = await clients.json.listAuditEntries({ account_id: account.account_token, page_size: 3 });
    const ids = ["\ufffd", "bob/builder", "alice"];
    expect(entries.map(({ actor }) => actor)).toEqual(
      ids.map((id) => ({ kind: "access_token", id, api_key_prefix: null, issuer: issuer.settings.issuer })),
    );
    const bobs = { account_id: account.account_token, actor_id: "bob/builder", page_size: 1 };
    const { entries: found, nextPageToken } = await clients.json.listAuditEntries(bobs);
    expect([found, nextPageToken]).toEqual([[entries[1]], ""]);
    const [first] = await historyOf(made.api_key.id);
    expect(first?.actor.kind).toBe("api_key");
    const [admin] = await historyOf(first?.actor.id ?? "");
    expect(admin).toMatchObject({ method: "test", actor: { kind: "operator", id: null }, before: null });
  });

  test("shows a bound caller only the entries of its account", async () => {
    const [own, other] = [await newAccount(clients.json), await newAccount(clients.json)];
    const key = await clients.json.createApiKey({ scopes: ["admin"], account_id: own.account_token });
    const bound = createJsonClient(server.url, createBearerHeaders(key.key));
    const { entries } = await bound.listAuditEntries();
    expect(entries.map(({ method }) => method)).toEqual(["CreateApiKey", "CreateAccount"]);
    expect(entries).toEqual((await bound.listAuditEntries({ account_id: own.id })).entries);
    expect((await bound.listAuditEntries({ resource_id: "clock" })).entries).toEqual([]);
    const refusal = await requireRefusal(bound.listAuditEntries({ account_id: other.account_token }));
    expect(refusal.reason).toBe("ACCOUNT_NOT_FOUND");
  });

  test("is served on the path of the account", async () => {
    const { account_token } = await newAccount(clients.json);
    const path = `/call_tracking/accounts/${account_token}/audit_entries`;
    const response = await fetch(`${server.url}${path}?page_size=1`, { headers: createBearerHeaders(made.key) });
    expect(await response.json()).toMatchObject([{ method: "CreateAccount", account_token, before: null }]);
  });

  test("is kept for the configured time", async () => {
    const { db } = server.database;
    const { id, account_token: account_id } = await newAccount(clients.json);
    for (const accountId of [0, id]) {
      await sql`
        insert into audit_entries (account_id, id, method, actor_kind, resource_type, resource_id, after)
        select ${accountId}::integer, ('0163dd1d-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'UpdatePool', 'operator',
          'pool', 'an old one', '{}' from generate_series(1, 1001) n`.execute(server.database.kysely);
    }
    const old = async () =>
      Promise.all(
        [{}, { account_id }].map((list) => clients.json.listAuditEntries({ ...list, resource_id: "an old one" })),
      );
    const year = 365 * 86_400_000;
    const age = Date.now() - Date.parse("2018-06-07T00:00:00Z");
    await deleteExpiredAuditEntries(db, age + year);
    expect((await old()).map(({ entries, nextPageToken }) => [entries.length, nextPageToken !== ""])).toEqual([
      [1000, true],
      [1000, true],
    ]);
    await deleteExpiredAuditEntries(db, age - year);
    expect((await old()).map(({ entries }) => entries)).toEqual([[], []]);
    expect((await clients.json.listAuditEntries({ account_id })).entries).toHaveLength(1);
  });

  test("contains no secrets", async () => {
    const { kysely } = server.database;
    const rows = await kysely.selectFrom("audit_entries").selectAll().execute();
    const hashes = await kysely.selectFrom("api_keys").select("hash").execute();
    const text = JSON.stringify(rows);
    expect(text).toContain(made.api_key.prefix);
    for (const secret of [made.key, adminKey]) expect(text).not.toContain(secret.split("_").at(-1));
    for (const { hash } of hashes) expect(text).not.toContain(hash);
  });
});
