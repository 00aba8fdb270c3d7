import fs from "node:fs";
import { rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { MessageChannel } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createTestDatabase } from "../../testing/test-database.js";
import { getPostgresFolder, POSTGRES_MAJOR_VERSION } from "./data-directory.js";
import { EmbeddedEngine } from "./embedded-engine.js";
import { createEngineError, type EngineReply } from "./engine-message.js";
import { serveEngineRequests } from "./serve-engine-requests.js";

/** A write or a sync of a data file or the write-ahead log (WAL) by PostgreSQL. */
interface FileEvent {
  readonly kind: "write" | "sync";
  readonly path: string;
  readonly isWal: boolean;
}

let directory: string;
const { port1: client, port2: server } = new MessageChannel();
const requests = new Map<number, PromiseWithResolvers<readonly unknown[]>>();
const events: FileEvent[] = [];

beforeAll(async () => {
  ({ directory } = await createTestDatabase("embedded"));
  const paths = new Map<number, string>();
  const { openSync, writeSync, fsyncSync, fdatasyncSync } = fs;
  const note = (kind: FileEvent["kind"], descriptor: number) => {
    const path = paths.get(descriptor) ?? "";
    if (path.startsWith(directory)) events.push({ kind, path, isWal: /\/pg_wal\/\w+$/.test(path) });
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
  // Runs the engine in the test's thread, so that the test can record its operations on files.
  serveEngineRequests(
    server,
    new EmbeddedEngine(directory, (reason) => {
      throw reason;
    }),
  );
  client.on("message", (reply: EngineReply) => {
    if ("crash" in reply) throw new Error(reply.crash);
    if ("rows" in reply) requests.get(reply.id)?.resolve(reply.rows);
    else requests.get(reply.id)?.reject(createEngineError(reply.error));
  });
  await send({ action: "open" });
  await run("create table notes (id integer primary key, text text not null)");
});

beforeEach(() => {
  events.length = 0;
});

afterEach(() => run("delete from notes"));

afterAll(async () => {
  await send({ action: "close" });
  client.close();
  vi.restoreAllMocks();
  await rm(directory, { recursive: true });
});

function send(request: object): Promise<readonly unknown[]> {
  const id = requests.size;
  const pending = Promise.withResolvers<readonly unknown[]>();
  requests.set(id, pending);
  client.postMessage({ id, ...request });
  return pending.promise;
}

function run(sql: string, ...parameters: unknown[]): Promise<readonly unknown[]> {
  return send({ sql, parameters });
}

function insert(id: number): Promise<readonly unknown[]> {
  return run("insert into notes values ($1, 'text')", id);
}

function walSyncs(): number {
  return events.filter(({ kind, isWal }) => kind === "sync" && isWal).length;
}

/** Whether the write-ahead log has been written since its last sync. */
function hasUnsyncedWal(): boolean {
  return events.findLast(({ isWal }) => isWal)?.kind === "write";
}

test("PostgreSQL runs with the settings that durability requires", async () => {
  const settings = ["fsync", "full_page_writes", "synchronous_commit", "wal_sync_method", "data_sync_retry"];
  const rows = await run("select name, setting from pg_settings where name = any($1)", settings);
  expect(
    Object.fromEntries((rows as { name: string; setting: string }[]).map(({ name, setting }) => [name, setting])),
  ).toEqual({
    fsync: "on",
    full_page_writes: "on",
    synchronous_commit: "on",
    wal_sync_method: "fsync",
    data_sync_retry: "off",
  });
});

test("PostgreSQL has the major version that data directories require", async () => {
  expect(await run("select current_setting('server_version') as version")).toEqual([
    { version: expect.stringMatching(new RegExp(`^${POSTGRES_MAJOR_VERSION}\\.`)) },
  ]);
});

test("syncs each of several consecutive writes before acknowledging it", async () => {
  for (let id = 1; id <= 5; id++) {
    await insert(id);
    expect(hasUnsyncedWal()).toBe(false);
    expect(walSyncs()).toBe(id);
  }
});

test("syncs a transaction once, before acknowledging it", async () => {
  await run("begin");
  for (let id = 1; id <= 5; id++) await insert(id);
  await run("commit");
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
  expect(await run("select * from notes")).toHaveLength(1);
  expect(hasUnsyncedWal()).toBe(false);
  await writing;
  const before = walSyncs();
  await run("select * from notes");
  expect(walSyncs()).toBe(before);
});

test("a rejected statement also waits for the sync of the write that caused the rejection", async () => {
  const writing = insert(1);
  await expect(insert(1)).rejects.toMatchObject({ code: "23505" });
  expect(hasUnsyncedWal()).toBe(false);
  await writing;
});

test("a checkpoint syncs tables, folders and the control file, and writes none of them before the log is synced", async () => {
  await Promise.all([insert(1), run("checkpoint")]);
  let walIsSynced = true;
  for (const { kind, isWal } of events) {
    if (isWal) walIsSynced = kind === "sync";
    else expect(walIsSynced || kind === "sync").toBe(true);
  }
  const postgresFolder = getPostgresFolder(directory);
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
  while (!hasUnsyncedWal()) await nextTurn();
  expect(isAnswered).toBe(false);
  await writing;
  expect(hasUnsyncedWal()).toBe(false);
});
