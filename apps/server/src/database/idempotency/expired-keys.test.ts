import { randomBytes, randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { AccountSchema, AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { openLockHolder } from "../../testing/lock-holder.js";
import { requireRefusal } from "../../testing/refusal.js";
import { uniqueToken } from "../../testing/request-fields.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { serveDatabase, type TestServer } from "../../testing/test-server.js";
import { createResourceOnce } from "./create-resource-once.js";
import { ABSENT_ACCOUNT_ID, type IdempotencyKey } from "./idempotency-key.js";
import { deleteExpiredIdempotencyKeys } from "./stored-responses.js";

/**
 * Moves the times of all idempotency keys into the past by the interval `by`. Reads the keys first, because Citus cannot compute the new times from
 * columns in an UPDATE.
 */
async function age({ database: { kysely } }: TestServer, by: string): Promise<void> {
  const earlier = (column: "created_at" | "expires_at") => sql<Date>`${sql.ref(column)} - ${by}::interval`.as(column);
  const keys = await kysely
    .selectFrom("idempotency_keys")
    .select(["account_id", "key_hash", earlier("created_at"), earlier("expires_at")])
    .execute();
  for (const { account_id, key_hash, ...times } of keys) {
    const isKey = { account_id, key_hash };
    await kysely
      .updateTable("idempotency_keys")
      .set(times)
      .where(({ and }) => and(isKey))
      .execute();
  }
}

async function countKeys({ database }: TestServer): Promise<number> {
  return (await database.kysely.selectFrom("idempotency_keys").select("account_id").execute()).length;
}

/** Adds expired keys without a response. */
async function addExpired({ database }: TestServer, count: number): Promise<void> {
  await sql`
    insert into idempotency_keys (account_id, key_hash, request_hash, expires_at)
    select 0, sha256(n::text::bytea), sha256(n::text::bytea), now() - n * interval '1 second'
    from generate_series(1, ${count}::integer) as n`.execute(database.kysely);
}

describeBehavior("an idempotency key", (service) => {
  test("is kept for 24 hours", async () => {
    const request = { account_token: uniqueToken(), request_id: randomUUID() };
    const account = await service.clients.json.createAccount(request);
    await age(service.server, "23:59:00");
    expect(await service.clients.grpc.createAccount(request)).toEqual(account);
    await age(service.server, "00:01:00");
    expect(await requireRefusal(service.clients.grpc.createAccount(request))).toMatchObject({
      reason: "ACCOUNT_ALREADY_EXISTS",
    });
  });

  test("identifies a new request when it is used again after its expiry", async () => {
    const request_id = randomUUID();
    const old = { account_token: uniqueToken(), request_id };
    const request = { account_token: uniqueToken(), request_id };
    await service.clients.json.createAccount(old);
    await age(service.server, "24:00:00");
    const account = await service.clients.json.createAccount(request);
    expect(await service.clients.grpc.createAccount(request)).toEqual(account);
    expect(await requireRefusal(service.clients.grpc.createAccount(old))).toMatchObject({
      reason: "IDEMPOTENCY_KEY_REUSED",
    });
  });

  test("is purged after its expiry, however many there are", async () => {
    await service.clients.json.createAccount({ account_token: uniqueToken(), request_id: randomUUID() });
    await deleteExpiredIdempotencyKeys(service.server.database.db);
    const kept = await countKeys(service.server);
    await addExpired(service.server, 2500);
    expect(await deleteExpiredIdempotencyKeys(service.server.database.db)).toBe(2500);
    expect(await countKeys(service.server)).toBe(kept);
  });
});

test("a purge keeps a key that was claimed again while the purge waited", async () => {
  const location = await createTestDatabase("postgres");
  const server = await serveDatabase(location, { managesPools: false });
  await using observer = await openLockHolder(location.url);
  const { db } = server.database;
  const key: IdempotencyKey = {
    accountId: ABSENT_ACCOUNT_ID,
    keyHash: randomBytes(32),
    requestHash: randomBytes(32),
    requestId: randomUUID(),
    method: AccountService.method.createAccount,
  };
  await createResourceOnce(db, key, async () => create(AccountSchema, { accountToken: "old" }));
  await age(server, "24:00:00");
  const [claimed, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const renewed = createResourceOnce(db, key, async () => {
    claimed.resolve();
    await finished.promise;
    return create(AccountSchema, { accountToken: "new" });
  });
  await claimed.promise;
  const purge = deleteExpiredIdempotencyKeys(db);
  await observer.expectWait(purge);
  finished.resolve();
  await renewed;
  expect(await purge).toBe(0);
  expect(await createResourceOnce(db, key, async () => undefined)).toMatchObject({ accountToken: "new" });
  await server.stop();
});
