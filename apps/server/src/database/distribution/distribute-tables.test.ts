import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ApiClient, PoolJson } from "../../testing/api-client.js";
import { createGrpcClient } from "../../testing/grpc-client.js";
import { createJsonClient } from "../../testing/json-client.js";
import { connectToPostgres } from "../../testing/pg-client.js";
import {
  createAutomanagedPoolFields,
  createManualPoolFields,
  getPoolKeyFields,
  newAccount,
  newAccountWithNumber,
  newPool,
} from "../../testing/request-fields.js";
import {
  createClusterDatabase,
  createTestDatabase,
  dropTestDatabase,
  HAS_CITUS,
  type PostgresLocation,
} from "../../testing/test-database.js";
import { serveDatabase, type TestServer } from "../../testing/test-server.js";
import { detectCitusDistribution } from "../detect-citus-distribution.js";
import { MIGRATION_NAMES, migrateToLatest, migrateWithinTransaction } from "../migrate.js";
import { type Database, openDatabase } from "../open-database.js";
import { DISTRIBUTED_TABLES, distributeTables } from "./distribute-tables.js";
import { getAccountIdColumn, TABLE_PLACEMENTS } from "./table-placement.js";

const ACCOUNTS = 24;

/** The number of shards: fewer than the default of 32, so that rebalancing is fast. */
const SHARD_COUNT = 4;

test("rejects a database without Citus, says what is missing, and changes nothing", async () => {
  const location = await createTestDatabase("postgres");
  const { kysely, close } = openDatabase(location);
  await migrateToLatest(kysely);
  await expect(distributeTables(kysely)).rejects.toThrow(
    "the database lacks the extension Citus: create the extension in this database on every server of the cluster, add the workers with " +
      "citus_add_node, and run calltrack-server distribute again with the coordinator's DATABASE_URL",
  );
  await close();
  expect(await detectCitusDistribution(location)).toBe(location);
  const server = await serveDatabase(location);
  await newPool(createJsonClient(server.url));
  await server.stop();
});

describe.skipIf(!HAS_CITUS).each(["citus"] as const)("distribute, on the %s engine", (engine) => {
  let location: PostgresLocation;
  let database: Database;

  beforeAll(async () => {
    location = await createClusterDatabase();
    database = openDatabase(location);
    await migrateToLatest(database.kysely);
  });

  afterAll(async () => {
    await database?.close();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  /** Returns the placement of each table, as one of the values in `TABLE_PLACEMENTS`. */
  async function placements(): Promise<Record<string, string>> {
    const { rows } = await sql<{ name: string; kind: string; key: string }>`
      select table_name::text as name, citus_table_type as kind, distribution_column as key from citus_tables`.execute(
      database.kysely,
    );
    const placementOf = ({ name, kind, key }: (typeof rows)[number]) => {
      if (kind === "reference") return "everywhere";
      if (key === "<none>") return "on one worker";
      return key === getAccountIdColumn(name as keyof typeof TABLE_PLACEMENTS) ? "by account" : `by ${key}`;
    };
    return Object.fromEntries(rows.map((row) => [row.name, placementOf(row)]));
  }

  test("rejects a table that is distributed differently, and changes nothing", async () => {
    const { kysely } = database;
    await sql`alter table call_trackers drop constraint call_trackers_tracking_number_fkey`.execute(kysely);
    await sql`select create_reference_table('tracking_numbers')`.execute(kysely);
    await expect(distributeTables(kysely)).rejects.toThrow(
      "the table tracking_numbers is distributed everywhere, not on one worker: undo its distribution with " +
        "select undistribute_table('tracking_numbers', cascade_via_foreign_keys => true), and run calltrack-server distribute again",
    );
    expect(await placements()).toEqual({ tracking_numbers: "everywhere" });
    await sql`select undistribute_table('tracking_numbers', cascade_via_foreign_keys => true)`.execute(kysely);
  });

  test("distributes existing data, and a new server continues where the previous one stopped", async () => {
    const before = await serveDatabase(location);
    const api = createJsonClient(before.url);
    const { account, number, pool } = await newPool(api, { pool_type: "manual" });
    const accounts = await api.listAccounts();
    await before.stop();

    const placed = Object.entries(TABLE_PLACEMENTS).filter(([, placement]) => placement !== "on the coordinator");
    expect(await distributeTables(database.kysely)).toEqual(placed.map(([table]) => table));
    expect(await placements()).toEqual(Object.fromEntries(placed));
    expect(await detectCitusDistribution(location)).toEqual({ ...location, isDistributed: true });

    const after = await serveDatabase(location);
    const again = createJsonClient(after.url);
    const account_id = account.account_token;
    expect(await again.listAccounts()).toEqual(accounts);
    expect(await again.getPool({ account_id, pool_id: pool.id })).toEqual(pool);
    const second = await again.createPool(createManualPoolFields(account, number));
    expect((await again.listPools({ account_id })).entries).toEqual([pool, second]);
    expect((await newAccount(again)).id).toBe(account.id + 1);
    await after.stop();
  });

  test("a server rejects a connection to a worker, and names the coordinator", async () => {
    const { rows } = await sql<{ host: string }>`
      select nodename || ':' || nodeport as host from pg_dist_node where groupid <> 0`.execute(database.kysely);
    for (const { host } of rows) {
      const worker = openDatabase({ ...location, url: Object.assign(new URL(location.url), { host }).href });
      onTestFinished(() => worker.close());
      await expect(migrateToLatest(worker.kysely)).rejects.toThrow(
        "DATABASE_URL leads to a worker of a Citus cluster, which has only part of the data: set it to the URL of the coordinator, " +
          new URL(location.url).host,
      );
    }
  });

  test("a server rejects a version of Citus that generates ids on workers", async () => {
    await database.kysely.transaction().execute(async (transaction) => {
      await sql`set local citus.enable_version_checks = off`.execute(transaction);
      await sql`update pg_extension set extversion = '13.0-1' where extname = 'citus'`.execute(transaction);
      await expect(migrateWithinTransaction(transaction)).rejects.toThrow(
        "Citus 13.0 is too old, because it does not generate all ids on the coordinator: update Citus on every node to 13.1 or newer",
      );
      await sql`update pg_extension set extversion = '13.1-1' where extname = 'citus'`.execute(transaction);
      expect(await migrateWithinTransaction(transaction)).toEqual([]);
      await sql`update pg_extension set extversion = '13.2-1' where extname = 'citus'`.execute(transaction);
    });
  });

  test("does nothing when run again", async () => {
    expect(await distributeTables(database.kysely)).toEqual([]);
    expect(await migrateToLatest(database.kysely)).toEqual([]);
  });
});

/** Tables that migrations after `0012-phone-systems` create. */
const LATER_TABLES = ["events", "webhook_endpoints", "webhook_deliveries"];

test.skipIf(!HAS_CITUS)("migrates a citus database that an earlier release distributed", async () => {
  const location = await createClusterDatabase();
  onTestFinished(() => dropTestDatabase("citus", location));
  const { kysely, close } = openDatabase(location);
  onTestFinished(close);
  const last = "0012-phone-systems";
  await kysely.transaction().execute((transaction) => migrateWithinTransaction(transaction, last));
  await distributeTables(
    kysely,
    DISTRIBUTED_TABLES.filter((table) => !LATER_TABLES.includes(table)),
  );
  expect(await migrateToLatest(kysely)).toEqual(MIGRATION_NAMES.slice(MIGRATION_NAMES.indexOf(last) + 1));
  expect(await distributeTables(kysely)).toEqual([]);
  const server = await serveDatabase(await detectCitusDistribution(location), { unregisteredNumbers: "register" });
  onTestFinished(() => server.stop());
  const api = createJsonClient(server.url);
  const pool = await api.createPool(createManualPoolFields(await newAccount(api), "+15550001234"));
  expect((await api.listPools({ account_id: pool.account_token })).entries).toEqual([pool]);
});

describe.skipIf(!HAS_CITUS).each(["citus"] as const)("a worker added to the cluster, on the %s engine", (engine) => {
  let location: PostgresLocation;
  let coordinator: pg.Client;
  let newWorker: readonly [host: string, port: number];
  let server: TestServer;

  beforeAll(async () => {
    location = await createClusterDatabase();
    coordinator = await connectToPostgres(location.url);
    const { rows } = await coordinator.query(
      "select nodename, nodeport from pg_dist_node where groupid <> 0 order by nodeport desc limit 1",
    );
    newWorker = [rows[0].nodename, rows[0].nodeport];
    await coordinator.query("select citus_remove_node($1, $2)", [...newWorker]);
    await coordinator.query(
      `alter database ${new URL(location.url).pathname.slice(1)} set citus.shard_count = ${SHARD_COUNT}`,
    );
    await distributeDatabase();
    server = await serveDatabase(location);
  });

  afterAll(async () => {
    await server?.stop();
    await coordinator?.end();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  async function distributeDatabase(): Promise<void> {
    const database = openDatabase(location);
    await migrateToLatest(database.kysely);
    await distributeTables(database.kysely);
    await database.close();
  }

  /** The number of account shards on the new worker. */
  async function shardsOfNewWorker(): Promise<number> {
    const { rows } = await coordinator.query(
      `select count(*)::integer as count from citus_shards
        where table_name = 'accounts'::regclass and nodename = $1 and nodeport = $2`,
      [...newWorker],
    );
    return rows[0].count;
  }

  test("takes over accounts during traffic without failed requests or lost data", async () => {
    const clients = [createJsonClient(server.url), createGrpcClient(server.port)];
    const [first] = clients as [ApiClient, ApiClient];
    const owners = await Promise.all(Array.from({ length: ACCOUNTS }, () => newAccountWithNumber(first)));
    await coordinator.query("select citus_add_node($1, $2)", [...newWorker]);
    await distributeDatabase();
    expect(await shardsOfNewWorker()).toBe(0);

    let isMoving = true;
    const created = owners.map((): PoolJson[] => []);
    const use = async (api: ApiClient) => {
      for (let turn = 0; isMoving; turn = (turn + 1) % ACCOUNTS) {
        const { account, number } = owners[turn] as (typeof owners)[number];
        const pool = await api.createPool(createAutomanagedPoolFields(account, number));
        const changed = await api.updatePool({ ...getPoolKeyFields(account, pool), size: 7 });
        expect(await api.getPool(getPoolKeyFields(account, pool))).toEqual(changed);
        created[turn]?.push(changed);
      }
    };
    const uses = Promise.all(clients.map(use));
    await Promise.race([uses, moveAccounts()]);
    isMoving = false;
    await uses;

    expect(await shardsOfNewWorker()).toBeGreaterThan(0);
    for (const [place, { account }] of owners.entries()) {
      const { entries } = await first.listPools({ account_id: account.account_token, page_size: 1000 });
      const ids = (pools: readonly PoolJson[]) => pools.map(({ id }) => id).sort();
      expect(ids(entries)).toEqual(ids(created[place] ?? []));
    }
    for (const client of clients) client.close();
  });

  /** Rebalances the cluster: moves shards, with their accounts, until all workers have equally many. */
  async function moveAccounts(): Promise<void> {
    await coordinator.query("select citus_rebalance_start()");
    for (;;) {
      const { rows } = await coordinator.query("select state from citus_rebalance_status()");
      const state = rows[0]?.state;
      if (state === "finished") return;
      if (state === "failed" || state === "cancelled" || state === "failing")
        throw new Error(`the rebalance is ${state}`);
      await pause(100);
    }
  }
});
