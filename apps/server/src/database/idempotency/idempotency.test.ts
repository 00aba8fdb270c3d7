import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import type { ApiClient, RequestFields } from "../../testing/api-client.js";
import { describeBehavior, describeOnEngines, type Service } from "../../testing/behavior.js";
import { createBearerHeaders, createTestAdminKey } from "../../testing/credentials.js";
import { describeJsonPaths } from "../../testing/describe-json-paths.js";
import { createGrpcClient } from "../../testing/grpc-client.js";
import { createJsonClient } from "../../testing/json-client.js";
import { requireRefusal } from "../../testing/refusal.js";
import {
  createManualPoolFields,
  newAccount,
  newAccountWithNumber,
  uniqueNumber,
  uniqueToken,
} from "../../testing/request-fields.js";
import { deleteExpiredIdempotencyKeys } from "./stored-responses.js";

const REUSED = { status: "INVALID_ARGUMENT", reason: "IDEMPOTENCY_KEY_REUSED" };

type CreateMethod = "createAccount" | "createPhoneNumber" | "createPool" | "createApiKey" | "addTrackingNumbers";

/** A request that creates a resource, without a request id, and a different request for the same method. */
interface Creation {
  readonly method: CreateMethod;
  readonly request: RequestFields;
  readonly other: RequestFields;
}

async function listCreations(api: ApiClient): Promise<readonly Creation[]> {
  const { account, number } = await newAccountWithNumber(api);
  const named = { account_id: account.account_token, phone_number: uniqueNumber() };
  const numbers = (phone_number = uniqueNumber()) => ({ tracking_numbers: [{ phone_number, area_code: "777" }] });
  return [
    { method: "createAccount", request: { account_token: uniqueToken() }, other: { account_token: uniqueToken() } },
    { method: "createPhoneNumber", request: named, other: { ...named, phone_number: uniqueNumber() } },
    {
      method: "createPool",
      request: createManualPoolFields(account, number),
      other: createManualPoolFields(account, number, { size: 6 }),
    },
    { method: "createApiKey", request: { scopes: ["read"] }, other: { scopes: ["write"] } },
    { method: "addTrackingNumbers", request: numbers(), other: numbers() },
  ];
}

function call(api: ApiClient, method: CreateMethod, request: RequestFields): Promise<unknown> {
  return api[method](request);
}

async function countKeys({ server }: Service): Promise<number> {
  return (await server.database.kysely.selectFrom("idempotency_keys").select("account_id").execute()).length;
}

describeBehavior("requests with an id", (service) => {
  test("a retry returns the first response without running again", async () => {
    for (const { method, request, other } of await listCreations(service.api)) {
      const request_id = randomUUID();
      const answer = await call(service.api, method, { ...request, request_id });
      expect(await call(service.api, method, { ...request, request_id }), method).toEqual(answer);
      // A retry over another protocol, or with a quoted id, counts as the same request.
      for (const api of Object.values(service.clients)) {
        expect(await call(api, method, { ...request, request_id: `"${request_id}"` })).toEqual(answer);
      }
      expect(await requireRefusal(call(service.api, method, { ...other, request_id })), method).toMatchObject(REUSED);
      await call(service.api, method, { ...other, request_id: randomUUID() });
    }
  });

  test("an id belongs to one method and one account", async () => {
    const [{ account, number }, another] = [
      await newAccountWithNumber(service.api),
      await newAccountWithNumber(service.api),
    ];
    const request_id = uniqueToken("id");
    const pool = await service.api.createPool({ ...createManualPoolFields(account, number), request_id });
    const phoneNumber = { account_id: account.account_token, phone_number: uniqueNumber(), request_id };
    expect(await requireRefusal(service.api.createPhoneNumber(phoneNumber))).toMatchObject(REUSED);
    const second = await service.api.createPool({
      ...createManualPoolFields(another.account, another.number),
      request_id,
    });
    expect(second.id).not.toBe(pool.id);
    const uuid = randomUUID();
    const keyOf = ({ account_token }: { readonly account_token: string }) =>
      service.api.createApiKey({ scopes: ["read"], account_id: account_token, request_id: uuid });
    const [one, other] = [await keyOf(account), await keyOf(another.account)];
    expect(other.key).not.toBe(one.key);
  });

  test("a retry returns the original response, even if the resource has changed", async () => {
    const { account, number } = await newAccountWithNumber(service.api);
    const request = { ...createManualPoolFields(account, number), request_id: randomUUID() };
    const pool = await service.api.createPool(request);
    await service.api.updatePool({ account_id: account.account_token, pool_id: pool.id, size: 9 });
    await service.api.updateAccount({ id: account.id, is_active: false });
    expect(await service.api.createPool(request)).toEqual(pool);
  });

  test("an error is not stored: a retry succeeds after its cause was removed", async () => {
    const account = await newAccount(service.api);
    const number = uniqueNumber();
    const before = await countKeys(service);
    const request = { ...createManualPoolFields(account, number), request_id: randomUUID() };
    expect(await requireRefusal(service.api.createPool(request))).toMatchObject({
      reason: "PHONE_NUMBER_NOT_REGISTERED",
    });
    const taken = { account_token: account.account_token, request_id: randomUUID() };
    expect(await requireRefusal(service.api.createAccount(taken))).toMatchObject({ reason: "ACCOUNT_ALREADY_EXISTS" });
    const named = { account_id: account.account_token, phone_number: number };
    await service.api.createPhoneNumber(named);
    const twice = { ...named, request_id: randomUUID() };
    expect(await requireRefusal(service.api.createPhoneNumber(twice))).toMatchObject({
      reason: "PHONE_NUMBER_ALREADY_REGISTERED",
    });
    expect(await countKeys(service)).toBe(before);
    await service.api.createPool(request);
    expect(await countKeys(service)).toBe(before + 1);
  });

  test("rejects an invalid id, together with all other violations", async () => {
    for (const request_id of ["", '""', "a".repeat(256)]) {
      const refusal = await requireRefusal(service.api.createAccount({ request_id }));
      expect(refusal.violations.map(({ field }) => field)).toEqual(["account_token", "request_id"]);
    }
    const guessable = service.api.createApiKey({ scopes: ["read"], request_id: "order 7" });
    expect(await requireRefusal(guessable)).toMatchObject({ violations: [{ field: "request_id" }] });
  });

  test("a retry returns an API key that has since expired", async () => {
    const expires_at = new Date(Date.now() + 1500).toISOString();
    const request = { scopes: ["read"], expires_at, request_id: randomUUID() };
    const made = await service.api.createApiKey(request);
    const { kysely } = service.server.database;
    await expect
      .poll(
        async () => (await sql<{ past: boolean }>`select now() > ${expires_at} as past`.execute(kysely)).rows[0]?.past,
      )
      .toBe(true);
    expect(await service.api.createApiKey(request)).toEqual(made);
    expect(await requireRefusal(service.api.createApiKey({ ...request, request_id: randomUUID() }))).toMatchObject({
      violations: [{ field: "expires_at" }],
    });
  });
});

describeOnEngines("stored responses of requests with an id", (service) => {
  test("one of several identical concurrent requests creates a resource, and the others get its response", async () => {
    const { account, number } = await newAccountWithNumber(service.clients.json);
    const race = async (method: CreateMethod, request: RequestFields) => {
      const apis = Object.values(service.clients);
      return Promise.all(Array.from({ length: 12 }, (_, index) => call(apis[index % 2] as ApiClient, method, request)));
    };
    const accounts = await race("createAccount", { account_token: uniqueToken(), request_id: randomUUID() });
    expect(new Set(accounts.map((each) => JSON.stringify(each))).size).toBe(1);
    const pools = await race("createPool", { ...createManualPoolFields(account, number), request_id: randomUUID() });
    expect(new Set(pools.map((each) => JSON.stringify(each))).size).toBe(1);
    const { entries } = await service.clients.json.listPools({ account_id: account.account_token });
    expect(entries).toEqual([pools[0]]);
    const keys = await race("createApiKey", { scopes: ["read"], request_id: randomUUID() });
    expect(new Set(keys.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  test("one of several different concurrent requests with one id succeeds, and the others are rejected", async () => {
    const request_id = randomUUID();
    const tokens = Array.from({ length: 8 }, () => uniqueToken());
    const settled = await Promise.allSettled(
      tokens.map((account_token) => service.clients.json.createAccount({ account_token, request_id })),
    );
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const { reason } of settled.filter((each) => each.status === "rejected")) {
      expect(reason.refusal).toMatchObject(REUSED);
    }
  });

  test("stores neither the id nor a new API key in plain text", async () => {
    const request_id = randomUUID();
    const { key } = await service.clients.json.createApiKey({ scopes: ["read"], request_id });
    const { rows } = await sql<{ row: string }>`
      select concat_ws(' ', encode(key_hash, 'escape'), encode(request_hash, 'escape'), encode(answer, 'escape')) as row
      from idempotency_keys`.execute(service.server.database.kysely);
    const kept = rows.map(({ row }) => row).join("\n");
    expect(kept).not.toBe("");
    for (const secret of [request_id, key, key.slice(0, 15)]) expect(kept).not.toContain(secret);
  });

  test("creates nothing if the response cannot be stored", async () => {
    const { kysely } = service.server.database;
    const account_token = uniqueToken();
    const request = { account_token, request_id: randomUUID() };
    await sql`alter table idempotency_keys add constraint nothing_is_kept check (answer is null) not valid`.execute(
      kysely,
    );
    const refused = await requireRefusal(service.clients.json.createAccount(request));
    await sql`alter table idempotency_keys drop constraint nothing_is_kept`.execute(kysely);
    expect(refused).toMatchObject({ reason: "INTERNAL" });
    const { entries } = await service.clients.json.listAccounts();
    expect(entries.filter((account) => account.account_token === account_token)).toEqual([]);
    expect(await service.clients.json.createAccount(request)).toMatchObject({ account_token });
  });

  test("an id can be used again after a day, whether its key was purged or not", async () => {
    const { db } = service.server.database;
    const request_id = randomUUID();
    const first = await service.clients.json.createAccount({ account_token: uniqueToken(), request_id });
    const age = () =>
      sql`update idempotency_keys set expires_at = now() - interval '1 second'`.execute(service.server.database.kysely);
    await age();
    const second = await service.clients.grpc.createAccount({ account_token: uniqueToken(), request_id });
    expect(second.id).not.toBe(first.id);
    expect(await deleteExpiredIdempotencyKeys(db)).toBeGreaterThanOrEqual(0);
    const known = await countKeys(service);
    expect(known).toBeGreaterThan(0);
    await age();
    expect(await deleteExpiredIdempotencyKeys(db)).toBe(known);
    expect(await countKeys(service)).toBe(0);
    await service.clients.json.createAccount({ account_token: uniqueToken(), request_id });
  });
});

describeBehavior(
  "ids of requests",
  (service) => {
    test("are separate for each caller", async () => {
      const admin = await createTestAdminKey(service.server.database);
      const json = createJsonClient(service.server.url, createBearerHeaders(admin));
      const { key: another } = await json.createApiKey({ scopes: ["admin"] });
      const grpc = createGrpcClient(service.server.port, createBearerHeaders(another));
      const request_id = randomUUID();
      const request = { scopes: ["read"], description: "the same", request_id };
      const [one, two] = [await json.createApiKey(request), await grpc.createApiKey(request)];
      expect(two.key).not.toBe(one.key);
      expect(await json.createApiKey(request)).toEqual(one);
      expect(await grpc.createApiKey(request)).toEqual(two);
      grpc.close();
    });
  },
  { auth: { keys: true, issuer: undefined } },
);

describeJsonPaths("Idempotency-Key", (surface) => {
  test("a retry returns the identical bytes and headers", async () => {
    const send = (account_token: string, key: string) => ({
      method: "POST",
      target: "/call_tracking/accounts",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ account_token }),
    });
    const [token, key] = [uniqueToken(), uniqueToken("key")];
    const first = await surface.send(send(token, key));
    const second = await surface.send(send(token, `"${key}"`));
    expect(first).toMatchObject({ status: 201 });
    expect(second).toMatchObject({ status: 201, text: first.text });
    for (const name of ["location", "etag", "content-type"]) {
      expect(first.headers[name]).toBeDefined();
      expect(second.headers[name]).toBe(first.headers[name]);
    }
    expect(await surface.refuse(422, send(uniqueToken(), key))).toMatchObject(REUSED);
    expect(await surface.refuse(400, send(uniqueToken(), ""))).toMatchObject({ reason: "FIELD_INVALID" });
  });
});
