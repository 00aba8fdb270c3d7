import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import type pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DatabaseLocation } from "../config/database-location.js";
import { createDataLocation } from "../testing/data-location.js";
import { connectToPostgres, queryOnce } from "../testing/pg-client.js";
import { runServer, startServerProcess } from "../testing/server-process.js";
import { createEmptyDatabase, createTestDatabase } from "../testing/test-database.js";
import { MIGRATION_NAMES, MIGRATIONS_BY_NAME, migrateToLatest } from "./migrate.js";
import { type Database, openDatabase } from "./open-database.js";

const TIMEOUT_MS = 120_000;

/** The first migration that changes a table which other sessions may have locked. */
const BLOCKED = "0003-pass-leases";

/** Connects as another application. */
async function connect(url: string): Promise<pg.Client> {
  const session = await connectToPostgres(url, { application_name: "somebody else" });
  onTestFinished(() => session.end());
  return session;
}

/** Opens a PostgreSQL database that an older release has migrated up to the migration before `BLOCKED`. */
async function openOlderDatabase(): Promise<{ readonly database: Database; readonly url: string }> {
  const location = await createEmptyDatabase("postgres");
  const database = openDatabase(location);
  onTestFinished(() => database.close());
  const migrator = new Migrator({
    db: database.kysely as never,
    provider: { getMigrations: async () => MIGRATIONS_BY_NAME },
  });
  const older = MIGRATION_NAMES[MIGRATION_NAMES.indexOf(BLOCKED) - 1] as string;
  expect(await migrator.migrateTo(older)).not.toHaveProperty("error");
  return { database, url: location.url };
}

/** Reads a table in an open transaction, which prevents changes to the table until it ends. */
async function holdTable(url: string): Promise<pg.Client & { readonly pid: number }> {
  const session = await connect(url);
  await session.query("begin; select from pool_passes");
  const { rows } = await session.query("select pg_backend_pid() as pid");
  return Object.assign(session, rows[0]);
}

describe("a migration that needs a lock held by another session", { timeout: TIMEOUT_MS }, () => {
  test("lets other sessions proceed, reports what it waits for, and continues after the lock is released", async () => {
    const { database, url } = await openOlderDatabase();
    const holder = await holdTable(url);
    const traffic = await connect(url);
    const { promise: blocked, resolve } = Promise.withResolvers<string>();
    const migrated = migrateToLatest(database.kysely, { onBlocked: resolve });
    await waitForLock(traffic);
    // This query queues behind the migration, which must soon release its place in the queue.
    await traffic.query("select from pool_passes");
    expect(await blocked).toMatch(
      new RegExp(
        `^migration ${BLOCKED} waits for a table lock: session ${holder.pid} \\(somebody else, idle in transaction`,
      ),
    );
    await holder.query("commit");
    expect(await migrated).toEqual(MIGRATION_NAMES.slice(MIGRATION_NAMES.indexOf(BLOCKED)));
  });

  test("fails after the maximum wait, names the blocking session, and leaves the schema unchanged", async () => {
    const { database, url } = await openOlderDatabase();
    const holder = await holdTable(url);
    const limits = { lockTimeoutMs: 20, maxLockWaitMs: 100, maxMigrationWaitMs: 100 };
    await expect(migrateToLatest(database.kysely, { limits })).rejects.toThrow(
      new RegExp(
        `^the database was not migrated within 100 ms: migration ${BLOCKED} waits for a table lock: session ${holder.pid} ` +
          "\\(somebody else, idle in transaction since [^)]+\\) has locked pool_passes: " +
          "end that session or wait until it has ended, and start calltrack-server again$",
      ),
    );
    await holder.query("rollback");
    const { rows } = await sql`select name from kysely_migration`.execute(database.kysely);
    expect(rows).toHaveLength(MIGRATION_NAMES.indexOf(BLOCKED));
  });

  test("is aborted when the server stops", async () => {
    const { database, url } = await openOlderDatabase();
    await holdTable(url);
    const stop = new AbortController();
    const limits = { lockTimeoutMs: 20, maxLockWaitMs: TIMEOUT_MS, maxMigrationWaitMs: TIMEOUT_MS };
    const migrated = migrateToLatest(database.kysely, { limits, signal: stop.signal, onBlocked: () => stop.abort() });
    await expect(migrated).rejects.toThrow("aborted");
  });

  async function waitForLock(session: pg.Client): Promise<void> {
    for (;;) {
      const { rowCount } = await session.query(
        // Filters by the database's name, because copies of the database contain tables with the same OIDs.
        `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
          where not granted and relation = 'pool_passes'::regclass and datname = current_database()`,
      );
      if (rowCount !== 0) return;
    }
  }
});

/** The body of a trigger that rejects a statement if the session has a statement timeout. */
const REQUIRE_NO_TIMEOUT = `language plpgsql as $$ begin
  if current_setting('statement_timeout') <> '0' then raise 'this statement has a timeout'; end if;
  return new;
end $$`;

/** Creates an empty database that rejects migrations with a statement timeout. */
async function createUnhurriedDatabase() {
  const location = await createEmptyDatabase("postgres");
  await queryOnce(
    location.url,
    `create function require_no_timeout() returns event_trigger ${REQUIRE_NO_TIMEOUT.replace("return new;", "")};
    create event trigger require_no_timeout on ddl_command_start execute function require_no_timeout()`,
  );
  return location;
}

describe("a migration has no statement timeout", { timeout: TIMEOUT_MS }, () => {
  test.each([
    ["migrate", 0, ""],
    ["create-admin-key", 0, ""],
    ["distribute", 1, "calltrack-server: the database lacks the extension Citus"],
  ])("in the command %s", async (command, exitCode, stderr) => {
    const { url } = await createUnhurriedDatabase();
    expect(await runServer([command], { DATABASE_URL: url })).toMatchObject({
      exitCode,
      stderr: expect.stringMatching(new RegExp(`^${stderr}`)),
    });
    expect(await queryOnce(url, "select name from kysely_migration")).toHaveLength(MIGRATION_NAMES.length);
  });

  test("at the start of a server", async () => {
    const { url } = await createUnhurriedDatabase();
    await using server = await startServerProcess({ DATABASE_URL: url });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  test("behind PgBouncer, whose connections keep the timeout of their database", async () => {
    const location = await createUnhurriedDatabase();
    const name = new URL(location.url).pathname.slice(1);
    await queryOnce(location.url, `alter database ${name} set statement_timeout = '1h'`);
    const database = openDatabase({ ...location, prepare: false, statementTimeoutMs: 0 });
    onTestFinished(() => database.close());
    expect(await migrateToLatest(database.kysely)).toEqual(MIGRATION_NAMES);
  });

  // A connection with a timeout would be closed by the client during a long migration.
  test("and neither does its connection", async () => {
    await using place = await createDataLocation("postgres");
    await queryOnce(
      place.environment.DATABASE_URL,
      `create function require_no_timeout() returns trigger ${REQUIRE_NO_TIMEOUT};
      create trigger require_no_timeout before insert on api_keys for each row execute function require_no_timeout()`,
    );
    expect(await runServer(["create-admin-key"], place.environment)).toMatchObject({ exitCode: 0, stderr: "" });
  });
});

describe("a server that finds another one migrating", { timeout: TIMEOUT_MS }, () => {
  test("waits for it, and reports that", async () => {
    const { database, url } = await openOlderDatabase();
    const other = openDatabase({ kind: "postgres", url });
    onTestFinished(() => other.close());
    const holder = await holdTable(url);
    const { promise: blocked, resolve } = Promise.withResolvers<string>();
    const first = migrateToLatest(database.kysely, { limits: { ...LIMITS, lockTimeoutMs: TIMEOUT_MS } });
    await expect.poll(() => countLockHolders(holder)).toBe(1);
    const second = migrateToLatest(other.kysely, { onBlocked: resolve });
    expect(await blocked).toMatch(/^another server is migrating the database: session \d+ \(/);
    await holder.query("commit");
    expect(await first).toEqual(MIGRATION_NAMES.slice(MIGRATION_NAMES.indexOf(BLOCKED)));
    expect(await second).toEqual([]);
  });

  const LIMITS = { lockTimeoutMs: 1000, maxLockWaitMs: TIMEOUT_MS, maxMigrationWaitMs: TIMEOUT_MS };

  test("fails after the maximum wait", async () => {
    const { database, url } = await openOlderDatabase();
    const other = openDatabase({ kind: "postgres", url });
    onTestFinished(() => other.close());
    const holder = await holdTable(url);
    const first = migrateToLatest(database.kysely, { limits: { ...LIMITS, lockTimeoutMs: TIMEOUT_MS } });
    await expect.poll(() => countLockHolders(holder)).toBe(1);
    const limits = { ...LIMITS, maxMigrationWaitMs: 1 };
    await expect(migrateToLatest(other.kysely, { limits })).rejects.toThrow(
      /^the database was not migrated within 1 ms: another server is migrating the database: session \d+ \(.*\): end that session or wait/,
    );
    await holder.query("commit");
    await first;
  });

  /** The number of sessions of this database that hold an advisory lock. */
  async function countLockHolders(session: pg.Client): Promise<number> {
    const { rowCount } = await session.query(
      `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
        where locktype = 'advisory' and granted and datname = current_database()`,
    );
    return rowCount ?? 0;
  }
});

async function openChanged(location: DatabaseLocation, ...changes: string[]): Promise<Database> {
  const database = openDatabase(location);
  onTestFinished(() => database.close());
  for (const change of changes) await sql.raw(change).execute(database.kysely);
  return database;
}

test("a server does not start on a database from a newer release", async () => {
  const location = await createTestDatabase("postgres");
  await openChanged(
    location,
    "insert into kysely_migration values ('0901-later', '2030-01-01'), ('0902-later still', '2030-01-02')",
  );
  expect(await runServer([], { DATABASE_URL: location.url })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      "calltrack-server: the database was migrated by a newer release: it has 0901-later and 0902-later still, and this " +
      `release knows migrations up to ${MIGRATION_NAMES.at(-1)}: start the newer release, or restore a backup from before these migrations\n`,
  });
});

test.each([
  ["a migration of another application", "insert into kysely_migration values ('2024-01-users', '2024-01-01')"],
  ["a gap", "delete from kysely_migration where name like '0003%'"],
  ["a newer migration and a gap", "update kysely_migration set name = '0901-later' where name like '0003%'"],
])("rejects a history with %s", async (_, change) => {
  const { kysely } = await openChanged(await createTestDatabase("postgres"), change);
  await expect(migrateToLatest(kysely)).rejects.toThrow(
    /^the database was not created by Calltrack, or was changed by hand: its table kysely_migration (?:has|lacks) [^\n]+: set DATABASE_URL /,
  );
});

test("rejects another application's tables with the same names", async () => {
  const tables = ["create table pools (id int)", "create table accounts (id int)", "create table unrelated (id int)"];
  const { kysely } = await openChanged(await createEmptyDatabase("postgres"), ...tables);
  await expect(migrateToLatest(kysely)).rejects.toThrow(
    "the database was not created by Calltrack, or was changed by hand: it already has the tables accounts and pools: set " +
      "DATABASE_URL or DATA_DIR to a database that only Calltrack uses",
  );
});

test.each(["embedded", "postgres"] as const)(
  "reports the error of a failed migration, rolls it back, and leaves tables with other names unchanged, on the %s engine",
  async (engine) => {
    const changes = ["create table unrelated (id int)", "create domain clock as text"];
    const { kysely } = await openChanged(await createEmptyDatabase(engine), ...changes);
    await expect(migrateToLatest(kysely)).rejects.toThrow('type "clock" already exists');
    await sql`drop domain clock`.execute(kysely);
    expect(await migrateToLatest(kysely)).toEqual(MIGRATION_NAMES);
    expect((await sql`select id from unrelated`.execute(kysely)).rows).toEqual([]);
  },
);
