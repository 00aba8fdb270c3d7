import type { Principal } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { revokeApiKey } from "../api/api-keys/api-key-repository.js";
import type { IssuedApiKey } from "../api/api-keys/api-key-service.js";
import { type Database, openDatabase } from "../database/open-database.js";
import { createTestApiKey, TEST_ORIGIN } from "../testing/credentials.js";
import { type LockHolder, openLockHolder } from "../testing/lock-holder.js";
import { createTestDatabase } from "../testing/test-database.js";
import { createApiKeyDirectory } from "./api-key-directory.js";
import { assembleApiKey, extractApiKeyPrefix, generateApiKey } from "./api-key-format.js";
import { createApiKeyVerifier } from "./api-key-verifier.js";

const LOG = pino({ level: "silent" });

let database: Database;
let url: string;

beforeEach(async () => {
  const location = await createTestDatabase("postgres");
  url = location.kind === "postgres" ? location.url : "";
  database = openDatabase(location);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await database.close();
});

const newKey = (expiresAt?: Date) => createTestApiKey(database, "read", expiresAt);

const revoke = ({ apiKey }: IssuedApiKey) => revokeApiKey(database.db, apiKey.id, TEST_ORIGIN);

/** Stops the clock that determines the age of cached lookups, at `laterMs` milliseconds from now. */
function stopClock(laterMs: number): void {
  const since = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => since + laterMs);
}

/** Returns "cached" if the key is verified synchronously, "read" after a query, or the reason for the error. */
async function outcomeOf(verify: () => Principal | Promise<Principal>): Promise<string> {
  try {
    const caller = verify();
    if (!(caller instanceof Promise)) return "cached";
    await caller;
    return "read";
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
}

/** Creates a key, and a function that verifies it with a separate cache. */
async function newVerifiedKey(expiresAt?: Date) {
  const verifier = createApiKeyVerifier(database.db, LOG);
  const made = await newKey(expiresAt);
  return { made, verify: () => outcomeOf(() => verifier.verify(made.key)) };
}

test("rejects a revoked key once the cached lookup is older than five seconds", async () => {
  const { made, verify } = await newVerifiedKey();
  expect([await verify(), await verify()]).toEqual(["read", "cached"]);
  await revoke(made);
  stopClock(5001);
  expect(await verify()).toBe("API_KEY_REVOKED");
});

test("looks a key up once after its row was deleted", async () => {
  const directory = createApiKeyDirectory(database.db);
  const { apiKey, key } = await newKey();
  expect(await directory.find(key)).toMatchObject({ id: apiKey.id });
  await database.kysely.deleteFrom("api_keys").where("id", "=", apiKey.id).execute();
  stopClock(5001);
  expect(await directory.find(key)).toBeUndefined();
  // The result is synchronous, because it comes from the cache.
  expect(directory.find(key)).toBeUndefined();
});

test("refreshes a cached lookup older than two seconds in the background", async () => {
  const { made, verify } = await newVerifiedKey();
  await verify();
  await revoke(made);
  stopClock(2001);
  expect(await verify()).toBe("cached");
  await expect.poll(verify).toBe("API_KEY_REVOKED");
});

test("looks up an unknown key again after five seconds", async () => {
  const directory = createApiKeyDirectory(database.db);
  const { key } = generateApiKey();
  expect(await directory.find(key)).toBeUndefined();
  expect(directory.find(key)).toBeUndefined();
  stopClock(5001);
  expect(directory.find(key)).toBeInstanceOf(Promise);
});

test("uses a cached key for five seconds while the database fails, and reads it again afterwards", async () => {
  const { verify } = await newVerifiedKey();
  await verify();
  await sql`alter table api_keys rename to gone`.execute(database.kysely);
  stopClock(2001);
  // Requests do not fail because of failed background refreshes.
  for (let turn = 0; turn < 10; turn++) {
    expect(await verify()).toBe("cached");
    await sql`select`.execute(database.kysely);
  }
  stopClock(5001 - 2001);
  expect(await verify()).toMatch(/api_keys/);
  await sql`alter table gone rename to api_keys`.execute(database.kysely);
  expect(await verify()).toBe("read");
});

test("invented prefixes do not evict keys from the cache", async () => {
  const directory = createApiKeyDirectory(database.db);
  const { key } = await newKey();
  await directory.find(key);
  stopClock(0);
  await Promise.all(Array.from({ length: 25_000 }, () => directory.find(generateApiKey().key)));
  expect(directory.find(key)).not.toBeInstanceOf(Promise);
});

test("rejects a cached key once it expires", async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { verify } = await newVerifiedKey(expiresAt);
  expect(await verify()).toBe("read");
  stopClock(0);
  vi.useFakeTimers({ toFake: ["Date"], now: expiresAt.getTime() - 1 });
  expect(await verify()).toBe("cached");
  vi.setSystemTime(expiresAt);
  expect(await verify()).toBe("API_KEY_EXPIRED");
});

test("reveals that a key is revoked or expired only to its holder", async () => {
  const verifier = createApiKeyVerifier(database.db, LOG);
  const [revoked, expired] = [await newKey(), await newKey(new Date(Date.now() - 1000))];
  await revoke(revoked);
  for (const [{ key }, reason] of [
    [revoked, "API_KEY_REVOKED"],
    [expired, "API_KEY_EXPIRED"],
  ] as const) {
    const guess = assembleApiKey(extractApiKeyPrefix(key), "a".repeat(43));
    for (const text of [guess, key, guess])
      expect(await outcomeOf(() => verifier.verify(text))).toBe(text === key ? reason : "API_KEY_INVALID");
  }
});

test("a caller that disconnects does not cancel a shared lookup", async () => {
  await using holder: LockHolder = await openLockHolder(url);
  const directory = createApiKeyDirectory(database.db);
  const { key, apiKey } = await newKey();
  await holder.hold("lock table api_keys in access exclusive mode");
  // Only one batch is read at a time, so later lookups wait for this one.
  const first = Promise.resolve(directory.find(generateApiKey().key));
  await holder.expectWait(first);
  const deadline = new AbortController();
  const abandoned = runWithDeadline(deadline.signal, async () => directory.find(key)).catch(() => {});
  const shared = Promise.resolve(directory.find(key));
  deadline.abort();
  await holder.release();
  expect(await shared).toMatchObject({ id: apiKey.id });
  await Promise.all([first, abandoned]);
});
