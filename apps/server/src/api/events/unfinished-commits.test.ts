import { randomInt } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ApiClient } from "../../testing/api-client.js";
import { openEventStream } from "../../testing/event-stream.js";
import { createJsonClient } from "../../testing/json-client.js";
import { connectToPostgres } from "../../testing/pg-client.js";
import { readMetric } from "../../testing/read-metric.js";
import { newPool } from "../../testing/request-fields.js";
import { createTestDatabase, dropTestDatabase, HAS_CITUS, type PostgresLocation } from "../../testing/test-database.js";
import { serveDatabase, type TestServer } from "../../testing/test-server.js";
import { SettledPosition } from "./settled-position.js";

/** A shard of the table `events`, and its worker. */
interface Place {
  readonly shard: number;
  /** The node group of the worker. */
  readonly group: number;
  readonly host: string;
  readonly port: number;
}

/** A part of a transaction that a worker has prepared. */
interface PreparedPart extends Pick<Place, "group" | "port"> {
  readonly position: string;
}

type Pool = Awaited<ReturnType<typeof newPool>>;

/** Simulates the crash of a worker between the phases of a commit. A real crash would abort the transactions of other tests. */
describe.skipIf(!HAS_CITUS).each(["citus"] as const)("commits that a worker has not finished, on %s", (engine) => {
  let location: PostgresLocation;
  let server: TestServer;
  let api: ApiClient;
  let coordinator: pg.Client;

  beforeAll(async () => {
    location = await createTestDatabase(engine);
    server = await serveDatabase(location, { managesPools: false });
    api = createJsonClient(server.url);
    coordinator = await connectToPostgres(location.url);
  });

  afterAll(async () => {
    // A prepared transaction keeps its database from being dropped, and shards of other databases from being moved.
    await coordinator?.query("select recover_prepared_transactions()");
    await coordinator?.end();
    await server?.stop();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  /** Begins the two-phase commit of an event for a pool. The coordinator has recorded the commit, but the worker has only prepared its part. */
  async function beginCommit(changed: Pool): Promise<PreparedPart> {
    const { account, pool } = changed;
    const { shard, group, host, port } = await findPlace(changed);
    const { rows } = await coordinator.query("select nextval('event_positions') as position");
    const { position } = rows[0];
    const worker = await connectToPostgres(Object.assign(new URL(location.url), { host: `${host}:${port}` }).href);
    const gid = `citus_0_${randomInt(2 ** 31)}_${randomInt(2 ** 31)}_0`;
    await worker.query("set citus.enable_manual_changes_to_shards = on");
    await worker.query("begin");
    await worker.query(
      `insert into events_${shard} (account_id, position, type, resource_id) values ($1, $2, 'pool.updated', $3)`,
      [account.id, position, pool.id],
    );
    await worker.query(`prepare transaction '${gid}'`);
    await worker.end();
    await coordinator.query("insert into pg_dist_transaction (groupid, gid) values ($1, $2)", [group, gid]);
    return { position, group, port };
  }

  /** Stops the cluster from finishing commits, which it does once a minute. Returns a function that finishes the commits. */
  async function holdRecovery(): Promise<() => Promise<void>> {
    const client = await connectToPostgres(location.url);
    onTestFinished(() => client.end());
    await client.query("begin");
    // The lock of this function lasts until the end of the transaction.
    await client.query("select recover_prepared_transactions()");
    return async () => {
      await client.query("commit");
      await client.query("select recover_prepared_transactions()");
    };
  }

  /** Makes a worker unreachable for the coordinator. Returns a function that makes it reachable again. */
  async function loseWorker(group: number, port: number): Promise<() => Promise<void>> {
    const setPort = async (to: number) => {
      await coordinator.query("update pg_dist_node set nodeport = $1 where groupid = $2", [to, group]);
    };
    await setPort(1);
    onTestFinished(() => setPort(port));
    return () => setPort(port);
  }

  /** Returns the shard and worker that store an account's rows. */
  async function findPlace({ account }: Pool): Promise<Place> {
    const { rows } = await coordinator.query(
      `select shardid as shard, groupid as group, nodename as host, nodeport as port
        from pg_dist_placement join pg_dist_node using (groupid)
        where shardid = get_shard_id_for_distribution_column('events', $1::integer)`,
      [account.id],
    );
    return rows[0];
  }

  const change = ({ account, pool }: Pool, size: number) =>
    api.updatePool({ account_id: account.account_token, pool_id: pool.id, size });
  const positionsOf = async ({ account }: Pool, cursor: string) =>
    (await api.listEvents({ account_id: account.account_token, cursor })).entries.map(({ position }) => position);
  const lag = () => readMetric(server.opsUrl, "calltrack_event_lag_seconds");

  test("delay the readers of events, which then see all events in order", async () => {
    const pool = await newPool(api);
    const { nextCursor: cursor } = await api.listEvents({ account_id: pool.account.account_token, cursor: "now" });
    await using stream = await openEventStream(server.url);
    await expect.poll(() => stream.messages.length).toBeGreaterThan(0);
    const recover = await holdRecovery();
    const { position } = await beginCommit(pool);
    await change(pool, 7);
    expect(await positionsOf(pool, cursor)).toEqual([]);
    await expect.poll(lag).toBeGreaterThan(1);
    expect(stream.events).toEqual([]);

    await recover();
    const expected = [position, String(Number(position) + 1)];
    await expect.poll(() => stream.events.map((event) => event.position)).toEqual(expected);
    expect(await positionsOf(pool, cursor)).toEqual(expected);
    await expect.poll(lag).toBe(0);
  });

  test("count as unfinished while their worker does not answer", async () => {
    const pool = await newPool(api);
    const settled = new SettledPosition(server.database);
    const before = await settled.find();
    const recover = await holdRecovery();
    const { position, group, port } = await beginCommit(pool);
    const restore = await loseWorker(group, port);
    for (let poll = 0; poll < 3; poll++) await settled.advance();
    expect(settled.drawn).toBe(BigInt(position));
    expect(settled.known).toBe(before);

    await restore();
    await recover();
    await settled.advance();
    expect(settled.known).toBe(BigInt(position));
  });

  test("lists of accounts on other workers succeed without the worker, and return an earlier cursor", async () => {
    const pool = await newPool(api);
    const { group, port } = await findPlace(pool);
    let other = await newPool(api);
    while ((await findPlace(other)).group === group) other = await newPool(api);
    // The second server has not read the log yet, so it has no earlier cursor to return.
    const second = await serveDatabase(location, { managesPools: false });
    onTestFinished(() => second.stop());
    const listOn = async ({ url }: TestServer) => {
      const response = await fetch(`${url}/dni_manager/accounts/${other.account.account_token}/pools`);
      expect(response.status).toBe(200);
      return response.headers.get("x-event-cursor");
    };
    await listOn(server);
    const restore = await loseWorker(group, port);
    const cursor = await listOn(server);
    expect(await listOn(second)).toBe(null);
    await restore();
    const { entries } = await api.listEvents({ account_id: other.account.account_token, cursor });
    expect(entries.length).toBeLessThanOrEqual(3);
    await expect.poll(() => listOn(second)).not.toBe(null);
  });
});
