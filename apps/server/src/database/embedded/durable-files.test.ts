import fs from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { DatabaseLocation } from "../../config/database-location.js";
import { createTestDatabase, dropTestDatabase } from "../../testing/test-database.js";
import { type Database, openDatabase } from "../open-database.js";
import { POSTGRES_MAJOR_VERSION, postgresFolderOf } from "./data-directory.js";

/** A write or a sync by PostgreSQL, of a data file or of the write-ahead log (WAL). */
interface FileEvent {
  readonly kind: "write" | "sync";
  readonly path: string;
  readonly isWal: boolean;
}

let location: DatabaseLocation & { readonly kind: "embedded" };
let database: Database;
const events: FileEvent[] = [];

beforeAll(async () => {
  location = (await createTestDatabase("embedded")) as typeof location;
  const paths = new Map<number, string>();
  const { openSync, writeSync, fsyncSync, fdatasyncSync } = fs;
  const note = (kind: FileEvent["kind"], descriptor: number) => {
    const path = paths.get(descriptor) ?? "";
    if (path.startsWith(location.directory)) events.push({ kind, path, isWal: /\/pg_wal\/\w+$/.test(path) });
  };
  vi.spyOn(fs, "openSync").mockImplementation((path, ...rest) => {
    const descriptor = openSync(path, ...rest);
    paths.set(descriptor, String(path));
    return descriptor;
  });
  vi.spyOn(fs, "writeSync").mockImplementation(((descriptor: number, ...rest: [Uint8Array]) => {
    note("write", descriptor);
    return writeSync(descriptor, ...rest);
  }) as typeof writeSync);
  for (const [name, sync] of Object.entries({ fsyncSync, fdatasyncSync })) {
    vi.spyOn(fs, name as "fsyncSync").mockImplementation((descriptor) => {
      note("sync", descriptor);
      sync(descriptor);
    });
  }
  database = openDatabase(location);
  await sql`create table notes (id integer primary key, text text not null)`.execute(database.kysely);
});

beforeEach(() => {
  events.length = 0;
});

afterEach(() => sql`delete from notes`.execute(database.kysely));

afterAll(async () => {
  await database.close();
  vi.restoreAllMocks();
  await dropTestDatabase("embedded", location);
});

function insert(id: number, db = database.kysely) {
  return sql`insert into notes values (${id}, 'text')`.execute(db);
}

function walSyncs(): number {
  return events.filter(({ kind, isWal }) => kind === "sync" && isWal).length;
}

/** Whether the write-ahead log was written since its last sync. */
function hasUnsyncedWal(): boolean {
  return events.findLast(({ isWal }) => isWal)?.kind === "write";
}

test("PostgreSQL runs with the settings that durability requires", async () => {
  const settings = ["fsync", "full_page_writes", "synchronous_commit", "wal_sync_method", "data_sync_retry"];
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name = any(${settings})`.execute(database.kysely);
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    wal_sync_method: "fsync",
    data_sync_retry: "off",
  });
});

test("PostgreSQL has the major version that data directories require", async () => {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(
    database.kysely,
  );
  expect(rows[0]?.version).toMatch(new RegExp(`^${POSTGRES_MAJOR_VERSION}\\.`));
});

test("syncs each of several consecutive writes before acknowledging it", async () => {
  for (let id = 1; id <= 5; id++) {
    await insert(id);
    expect(hasUnsyncedWal()).toBe(false);
    expect(walSyncs()).toBe(id);
  }
});

test("syncs a transaction once, before acknowledging it", async () => {
  await database.kysely.transaction().execute(async (transaction) => {
    for (let id = 1; id <= 5; id++) await insert(id, transaction);
  });
  expect(hasUnsyncedWal()).toBe(false);
  expect(walSyncs()).toBe(1);
});

test("concurrent writes share a sync", async () => {
  await Promise.all(
    Array.from({ length: 20 }, async (_, id) => {
      await insert(id);
      expect(hasUnsyncedWal()).toBe(false);
    }),
  );
  expect(walSyncs()).toBe(1);
});

test("a read does not sync, but waits for the sync of writes that it may have seen", async () => {
  const writing = insert(1);
  const { rows } = await sql`select * from notes`.execute(database.kysely);
  expect(rows).toHaveLength(1);
  expect(hasUnsyncedWal()).toBe(false);
  await writing;
  const before = walSyncs();
  await sql`select * from notes`.execute(database.kysely);
  expect(walSyncs()).toBe(before);
});

test("a rejection also waits for the sync of the write that caused it", async () => {
  const writing = insert(1);
  await expect(insert(1)).rejects.toMatchObject({ code: "23505" });
  expect(hasUnsyncedWal()).toBe(false);
  await writing;
});

test("a checkpoint syncs tables, folders and the control file, and writes none before the log is synced", async () => {
  await Promise.all([insert(1), sql`checkpoint`.execute(database.kysely)]);
  let walIsSynced = true;
  for (const { kind, isWal } of events) {
    if (isWal) walIsSynced = kind === "sync";
    else expect(walIsSynced || kind === "sync").toBe(true);
  }
  const postgresFolder = postgresFolderOf(location.directory);
  const synced = events.filter(({ kind }) => kind === "sync").map(({ path }) => path.slice(postgresFolder.length));
  expect(synced).toContainEqual(expect.stringMatching(/^\/base\/\d+\/\d+$/));
  expect(synced).toContainEqual(expect.stringMatching(/^\/pg_xact\/\w+$/));
  expect(synced).toContain("/pg_xact");
  expect(synced).toContain("/global/pg_control");
  const lastWrites = new Map(events.map(({ path, kind }) => [path, kind]));
  // The contents of pg_subtrans are not needed after a restart.
  for (const [path, kind] of lastWrites)
    if (!path.includes("/pg_subtrans/")) expect([path, kind]).toEqual([path, "sync"]);
});

test("does not acknowledge a completed write before its sync", async () => {
  const writing = insert(1);
  let isAnswered = false;
  void writing.then(() => {
    isAnswered = true;
  });
  while (!hasUnsyncedWal()) await Promise.resolve();
  expect(isAnswered).toBe(false);
  await nextTurn();
  await writing;
});
