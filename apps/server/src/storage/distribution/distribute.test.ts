import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createJsonClient } from "../../testing/json-client.js";
import { manualPool, newAccount, newPool } from "../../testing/request-fields.js";
import { createClusterDatabase, createTestDatabase, dropTestDatabase, ENGINES } from "../../testing/test-database.js";
import { serveDatabase } from "../../testing/test-server.js";
import { type Database, type DatabaseLocation, openDatabase } from "../database.js";
import { migrateToLatest } from "../migrate.js";
import { distribute } from "./distribute.js";
import { findDistribution } from "./find-distribution.js";
import { accountColumnOf, PLACEMENTS } from "./placement.js";

test("a database without Citus is told what it lacks, and stays as it is", async () => {
  const location = await createTestDatabase("postgres");
  const { db, close } = openDatabase(location, () => {});
  await migrateToLatest(db);
  await expect(distribute(db)).rejects.toThrow(
    "the database has no Citus: create the extension in it on every server of the cluster, add the workers with " +
      "citus_add_node, and run this again with the coordinator's DATABASE_URL",
  );
  await close();
  expect(await findDistribution(location)).toBe(location);
  const server = await serveDatabase(location);
  await newPool(createJsonClient(server.url));
  await server.stop();
});

describe.each(ENGINES.filter((engine) => engine === "citus"))("distribute, on the %s engine", (engine) => {
  let location: Extract<DatabaseLocation, { kind: "postgres" }>;
  let database: Database;

  beforeAll(async () => {
    location = await createClusterDatabase();
    database = openDatabase(location, () => {});
    await migrateToLatest(database.db);
  });

  afterAll(async () => {
    await database?.close();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  /** Where each table is, in the words of `PLACEMENTS`. */
  async function placements(): Promise<Record<string, string>> {
    const { rows } = await sql<{ name: string; kind: string; key: string }>`
      select table_name::text as name, citus_table_type as kind, distribution_column as key from citus_tables`.execute(
      database.db,
    );
    const placementOf = ({ name, kind, key }: (typeof rows)[number]) => {
      if (kind === "reference") return "everywhere";
      if (key === "<none>") return "on one worker";
      return key === accountColumnOf(name as keyof typeof PLACEMENTS) ? "by account" : `by ${key}`;
    };
    return Object.fromEntries(rows.map((row) => [row.name, placementOf(row)]));
  }

  test("a table that somebody has placed otherwise is named, and nothing is changed", async () => {
    const { db } = database;
    await sql`alter table call_trackers drop constraint call_trackers_tracking_number_fkey`.execute(db);
    await sql`select create_reference_table('tracking_numbers')`.execute(db);
    await expect(distribute(db)).rejects.toThrow(
      "the table tracking_numbers is distributed everywhere, not on one worker: undo that with " +
        "select undistribute_table('tracking_numbers', cascade_via_foreign_keys => true), and run this again",
    );
    expect(await placements()).toEqual({ tracking_numbers: "everywhere" });
    await sql`select undistribute_table('tracking_numbers', cascade_via_foreign_keys => true)`.execute(db);
  });

  test("spreads what the database has, and a server on it goes on where the one before has stopped", async () => {
    const before = await serveDatabase(location);
    const api = createJsonClient(before.url);
    const { account, number, pool } = await newPool(api, { pool_type: "manual" });
    const accounts = await api.listAccounts();
    await before.stop();

    const placed = Object.entries(PLACEMENTS).filter(([, placement]) => placement !== "on the coordinator");
    expect(await distribute(database.db)).toEqual(placed.map(([table]) => table));
    expect(await placements()).toEqual(Object.fromEntries(placed));
    expect(await findDistribution(location)).toEqual({ ...location, isDistributed: true });

    const after = await serveDatabase(location);
    const again = createJsonClient(after.url);
    const account_id = account.account_token;
    expect(await again.listAccounts()).toEqual(accounts);
    expect(await again.getPool({ account_id, pool_id: pool.id })).toEqual(pool);
    const second = await again.createPool(manualPool(account, number));
    expect((await again.listPools({ account_id })).entries).toEqual([pool, second]);
    expect((await newAccount(again)).id).toBe(account.id + 1);
    await after.stop();
  });

  test("done once more, it finds nothing to do", async () => {
    expect(await distribute(database.db)).toEqual([]);
    expect(await migrateToLatest(database.db)).toEqual([]);
  });

  test("a standby cannot be read from", async () => {
    await expect(findDistribution({ ...location, replicaUrl: location.url })).rejects.toThrow(
      "DATABASE_REPLICA_URL must be unset: a distributed database has no standby of all its servers",
    );
  });
});
