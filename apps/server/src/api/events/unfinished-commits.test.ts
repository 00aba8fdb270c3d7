import { randomInt } from "node:crypto";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ApiClient } from "../../testing/api-client.js";
import { openEventStream } from "../../testing/event-stream.js";
import { createJsonClient } from "../../testing/json-client.js";
import { connectTo } from "../../testing/pg-client.js";
import { readMetric } from "../../testing/read-metric.js";
import { newPool } from "../../testing/request-fields.js";
import { createTestDatabase, dropTestDatabase, HAS_CITUS, type PostgresLocation } from "../../testing/test-database.js";
import { serveDatabase, type TestServer } from "../../testing/test-server.js";
import { SettledPosition } from "./settled-position.js";

/** A part of a transaction that a worker has prepared. */
interface PreparedPart {
  readonly position: string;
  /** The node group of the worker. */
  readonly group: number;
  readonly port: number;
}

type Pool = Awaited<ReturnType<typeof newPool>>;

/** As after the crash of a worker between the phases of a commit. The crash itself would end the transactions of other tests. */
describe.skipIf(!HAS_CITUS).each(["citus"] as const)("commits that a worker has not finished, on %s", (engine) => {
  let location: PostgresLocation;
  let server: TestServer;
  let api: ApiClient;
  let coordinator: pg.Client;

  beforeAll(async () => {
    location = await createTestDatabase(engine);
    server = await serveDatabase(location, { managesPools: false });
    api = createJsonClient(server.url);
    coordinator = await connectTo(location.url);
  });

  afterAll(async () => {
    await coordinator?.end();
    await server?.stop();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  /** Commits an event of a pool on the coordinator only. */
  async function beginCommit({ account, pool }: Pool): Promise<PreparedPart> {
    const { rows } = await coordinator.query(
      `select shardid as shard, groupid as group, nodename as host, nodeport as port, nextval('event_positions') as position
        from pg_dist_placement join pg_dist_node using (groupid)
        where shardid = get_shard_id_for_distribution_column('events', $1::integer)`,
      [account.id],
    );
    const { shard, group, host, port, position } = rows[0];
    const worker = await connectTo(Object.assign(new URL(location.url), { host: `${host}:${port}` }).href);
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

  /** Keeps the cluster from finishing commits, as it does once a minute. Returns a function that makes it finish them. */
  async function holdRecovery(): Promise<() => Promise<void>> {
    const client = await connectTo(location.url);
    onTestFinished(() => client.end());
    await client.query("begin");
    // Its lock lasts until the end of the transaction.
    await client.query("select recover_prepared_transactions()");
    return async () => {
      await client.query("commit");
      await client.query("select recover_prepared_transactions()");
    };
  }

  const change = ({ account, pool }: Pool, size: number) =>
    api.updatePool({ account_id: account.account_token, pool_id: pool.id, size });
  const positionsOf = async ({ account }: Pool, cursor: string) =>
    (await api.listEvents({ account_id: account.account_token, cursor })).entries.map(({ position }) => position);
  const lag = () => readMetric(server.opsUrl, "calltrack_event_lag_seconds");

  test("hold up the readers of events, who then see all of them in order", async () => {
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
    const movePort = (to: number) =>
      coordinator.query("update pg_dist_node set nodeport = $1 where groupid = $2", [to, group]);
    await movePort(1);
    onTestFinished(async () => void (await movePort(port)));
    for (let poll = 0; poll < 3; poll++) await settled.advance();
    expect(settled.drawn).toBe(BigInt(position));
    expect(settled.known).toBe(before);

    await movePort(port);
    await recover();
    await settled.advance();
    expect(settled.known).toBe(BigInt(position));
  });
});
