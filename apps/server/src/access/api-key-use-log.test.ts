import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Database, openDatabase } from "../database/open-database.js";
import { createTestApiKey } from "../testing/credentials.js";
import { type LockHolder, openLockHolder } from "../testing/lock-holder.js";
import { createTestDatabase } from "../testing/test-database.js";
import { createApiKeyUseLog, saveApiKeyUseTimes } from "./api-key-use-log.js";

const LOG = pino({ level: "silent" });
const MINUTE_MS = 60_000;

let database: Database;
let holder: LockHolder;
let id: string;

beforeEach(async () => {
  const location = await createTestDatabase("postgres");
  database = openDatabase(location);
  holder = await openLockHolder(location.kind === "postgres" ? location.url : "");
  id = await newKey();
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
});

afterEach(async () => {
  vi.useRealTimers();
  await holder[Symbol.asyncDispose]();
  await database.close();
});

const newKey = async () => (await createTestApiKey(database, "read")).apiKey.id;

/** Reads the time of the key's last use from the database. */
async function lastUse(): Promise<number | undefined> {
  const [row] = await holder.query("select last_used_at from api_keys where id = $1", [id]);
  return (row?.last_used_at as Date | null)?.getTime();
}

test("writes uses once a minute", async () => {
  const uses = createApiKeyUseLog(database.db, LOG);
  const usedAt = Date.now();
  uses.record(id);
  vi.advanceTimersByTime(MINUTE_MS - 1);
  vi.advanceTimersByTime(1);
  await expect.poll(lastUse).toBe(usedAt);
  await uses.close();
});

test("retries failed writes later", async () => {
  const uses = createApiKeyUseLog(database.db, LOG);
  const usedAt = Date.now();
  uses.record(id);
  await holder.query("alter table api_keys rename to gone");
  vi.advanceTimersByTime(MINUTE_MS);
  await uses.close();
  await holder.query("alter table gone rename to api_keys");
  await uses.close();
  expect(await lastUse()).toBe(usedAt);
});

test("a failed write does not replace a later use with an earlier one", async () => {
  const { promise: failed, resolve } = Promise.withResolvers<void>();
  const uses = createApiKeyUseLog(database.db, pino({ level: "warn" }, { write: () => resolve() }));
  uses.record(id);
  await holder.hold("alter table api_keys rename to gone");
  vi.advanceTimersByTime(MINUTE_MS);
  await holder.expectWait(new Promise(() => {}));
  const usedAt = Date.now();
  uses.record(id);
  // When the waiting write gets the lock, the table has a different name, so the write fails.
  await holder.release();
  await failed;
  await holder.query("alter table gone rename to api_keys");
  await uses.close();
  expect(await lastUse()).toBe(usedAt);
});

test("the last use never moves backwards, whichever server writes last", async () => {
  const now = Date.now();
  for (const at of [now, now - 1000]) await saveApiKeyUseTimes(database.db, new Map([[id, at]]));
  expect(await lastUse()).toBe(now);
  await saveApiKeyUseTimes(database.db, new Map([[id, now + 1000]]));
  expect(await lastUse()).toBe(now + 1000);
});

test("locks keys in the order of their ids, like other servers", async () => {
  const ids = [id, await newKey(), await newKey()].toSorted();
  await sql`insert into api_keys (id, prefix, hash, scopes)
    select gen_random_uuid(), 'other ' || n, repeat('0', 64), '{read}' from generate_series(1, 5000) as n`.execute(
    database.kysely,
  );
  await sql`analyze api_keys`.execute(database.kysely);
  await holder.hold(`select from api_keys where id = '${ids[0]}' for update`);
  const write = saveApiKeyUseTimes(database.db, new Map(ids.toReversed().map((each) => [each, Date.now()])));
  await holder.expectWait(write);
  const free = await holder.query("select id from api_keys where id = any($1) for update skip locked", [ids]);
  expect(free.map((row) => row.id).toSorted()).toEqual(ids.slice(1));
  await holder.release();
  await write;
});

test("ignores a use of a deleted key", async () => {
  await saveApiKeyUseTimes(database.db, new Map([[randomUUID(), Date.now()]]));
});
