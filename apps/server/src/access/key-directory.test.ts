import type { Caller } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { revokeApiKey } from "../api/api-keys/api-key-repository.js";
import { type MadeApiKey, makeApiKey } from "../api/api-keys/api-key-service.js";
import { type Database, openDatabase } from "../database/open-database.js";
import { TEST_ORIGIN } from "../testing/credentials.js";
import { type LockHolder, openLockHolder } from "../testing/lock-holder.js";
import { createTestDatabase } from "../testing/test-database.js";
import { createKeyDirectory } from "./key-directory.js";
import { createKey, formatKey, prefixOf } from "./key-text.js";
import { createKeyVerifier } from "./key-verifier.js";

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

function newKey(expiresAt?: Date): Promise<MadeApiKey> {
  const wanted = { scopes: ["read"], description: undefined, account: undefined, expiresAt } as const;
  return makeApiKey(database.db, wanted, TEST_ORIGIN);
}

const revoke = ({ apiKey }: MadeApiKey) => revokeApiKey(database.db, apiKey.id, TEST_ORIGIN);

/** Stops the clock by which readings age, so much later than now. */
function stopClock(laterMs: number): void {
  const since = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => since + laterMs);
}

/** What a key comes to: the caller at once, or after a look into the database. */
async function outcomeOf(verify: () => Caller | Promise<Caller>): Promise<string> {
  try {
    const caller = verify();
    if (!(caller instanceof Promise)) return "cached";
    await caller;
    return "read";
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
}

test("a reading older than five seconds is not used: a key that was revoked meanwhile is refused", async () => {
  const verifier = createKeyVerifier(database.db, LOG);
  const made = await newKey();
  const verify = () => outcomeOf(() => verifier.verify(made.key));
  expect([await verify(), await verify()]).toEqual(["read", "cached"]);
  await revoke(made);
  stopClock(5001);
  expect(await verify()).toBe("API_KEY_REVOKED");
});

test("a reading older than two seconds is used once more, and is replaced meanwhile", async () => {
  const verifier = createKeyVerifier(database.db, LOG);
  const made = await newKey();
  const verify = () => outcomeOf(() => verifier.verify(made.key));
  await verify();
  await revoke(made);
  stopClock(2001);
  expect(await verify()).toBe("cached");
  await expect.poll(verify).toBe("API_KEY_REVOKED");
});

test("a key that is known to be none is looked up again after five seconds", async () => {
  const directory = createKeyDirectory(database.db);
  const { key } = createKey();
  expect(await directory.find(key)).toBeUndefined();
  expect(directory.find(key)).toBeUndefined();
  stopClock(5001);
  expect(directory.find(key)).toBeInstanceOf(Promise);
});

test("while the database fails, a known key is used for five seconds, and read again when it answers", async () => {
  const verifier = createKeyVerifier(database.db, LOG);
  const made = await newKey();
  const verify = () => outcomeOf(() => verifier.verify(made.key));
  await verify();
  await sql`alter table api_keys rename to gone`.execute(database.kysely);
  stopClock(2001);
  // Readings that fail beside the requests are nobody's.
  for (let turn = 0; turn < 10; turn++) {
    expect(await verify()).toBe("cached");
    await sql`select`.execute(database.kysely);
  }
  stopClock(5001 - 2001);
  expect(await verify()).toMatch(/api_keys/);
  await sql`alter table gone rename to api_keys`.execute(database.kysely);
  expect(await verify()).toBe("read");
});

test("prefixes that are made up push no key out of the cache", async () => {
  const directory = createKeyDirectory(database.db);
  const { key } = await newKey();
  await directory.find(key);
  stopClock(0);
  await Promise.all(Array.from({ length: 25_000 }, () => directory.find(createKey().key)));
  expect(directory.find(key)).not.toBeInstanceOf(Promise);
});

test("a key expires on time although it is cached", async () => {
  const verifier = createKeyVerifier(database.db, LOG);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { key } = await newKey(expiresAt);
  const verify = () => outcomeOf(() => verifier.verify(key));
  expect(await verify()).toBe("read");
  stopClock(0);
  vi.useFakeTimers({ toFake: ["Date"], now: expiresAt.getTime() - 1 });
  expect(await verify()).toBe("cached");
  vi.setSystemTime(expiresAt);
  expect(await verify()).toBe("API_KEY_EXPIRED");
});

test("only who has all of a key learns that it was revoked or has expired", async () => {
  const verifier = createKeyVerifier(database.db, LOG);
  const [revoked, expired] = [await newKey(), await newKey(new Date(Date.now() - 1000))];
  await revoke(revoked);
  for (const [{ key }, reason] of [
    [revoked, "API_KEY_REVOKED"],
    [expired, "API_KEY_EXPIRED"],
  ] as const) {
    const guess = formatKey(prefixOf(key), "a".repeat(43));
    for (const text of [guess, key, guess])
      expect(await outcomeOf(() => verifier.verify(text))).toBe(text === key ? reason : "API_KEY_INVALID");
  }
});

test("a caller that gives up does not fail the lookup that another shares", async () => {
  await using holder: LockHolder = await openLockHolder(url);
  const directory = createKeyDirectory(database.db);
  const { key, apiKey } = await newKey();
  await holder.hold("lock table api_keys in access exclusive mode");
  // One batch is read at a time: the others queue up behind this.
  const first = Promise.resolve(directory.find(createKey().key));
  await holder.expectWait(first);
  const deadline = new AbortController();
  const abandoned = runWithDeadline(deadline.signal, async () => directory.find(key)).catch(() => {});
  const shared = Promise.resolve(directory.find(key));
  deadline.abort();
  await holder.release();
  expect(await shared).toMatchObject({ id: apiKey.id });
  await Promise.all([first, abandoned]);
});
