import { type PostgresNode, startPrimary, startStandby } from "@calltrack/postgres/testing/postgres-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiClient } from "./testing/api-client.js";
import { createGrpcClient } from "./testing/grpc-client.js";
import { createJsonClient } from "./testing/json-client.js";
import { newPool } from "./testing/request-fields.js";
import { type ServerProcess, startServerProcess } from "./testing/server-process.js";

let primary: PostgresNode;
let standby: PostgresNode;
/** Two servers with two workers each, so that consecutive requests rarely reach the same process. */
let servers: readonly ServerProcess[];
let clients: readonly ApiClient[];

beforeAll(async () => {
  primary = await startPrimary();
  standby = await startStandby(primary);
  const environment = { DATABASE_URL: primary.url, DATABASE_REPLICA_URL: standby.url, WORKERS: "2", OPS_PORT: "0" };
  servers = await Promise.all([1, 2].map(() => startServerProcess(environment)));
  clients = servers.flatMap(({ url, port }) => [createJsonClient(url), createGrpcClient(port)]);
});

afterAll(async () => {
  for (const client of clients ?? []) client.close();
  for (const server of servers ?? []) await server.stop();
  await standby?.[Symbol.asyncDispose]();
  await primary?.[Symbol.asyncDispose]();
});

/** Writes through each client in turn, and asserts that all clients read the write immediately, with every method. */
async function expectAllReadWhatIsWritten(): Promise<void> {
  for (const writer of clients) {
    const { account, number, pool } = await newPool(writer);
    const { account_token: account_id } = account;
    const name = { account_id, pool_id: pool.id };
    await expectOfAll((api) => api.getAccount({ id: account.id }), account);
    await expectOfAll((api) => api.getPool(name), pool);
    await expectOfAll(async (api) => (await api.listPools({ account_id })).entries, [pool]);
    await expectOfAll(
      async (api) => (await api.listPhoneNumbers({ account_id })).entries,
      [expect.objectContaining({ phone_number: number })],
    );
    for (const size of [7, 8]) {
      const updated = await writer.updatePool({ ...name, size });
      expect(updated.size).toBe(size);
      await expectOfAll((api) => api.getPool(name), updated);
    }
  }
}

async function expectOfAll<T>(read: (api: ApiClient) => Promise<T>, expected: unknown): Promise<void> {
  expect(await Promise.all(clients.map(read))).toEqual(clients.map(() => expected));
}

/** Counts the reads of all servers that the replica, or the primary, has answered. */
async function countReads(server: "replica" | "primary"): Promise<number> {
  const texts = await Promise.all(servers.map(async (each) => (await fetch(`${await each.opsUrl()}/metrics`)).text()));
  const counts = texts.flatMap((text) => [
    ...text.matchAll(new RegExp(`^calltrack_replica_reads_total\\{server="${server}",worker="\\d"\\} (\\d+)$`, "gm")),
  ]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test("all clients read each write immediately, whichever server and worker they reach", async () => {
  await Promise.all(Array.from({ length: 5 }, expectAllReadWhatIsWritten));
  expect(await countReads("replica")).toBeGreaterThan(0);
});

test("reads from the primary while the replica lags", async () => {
  await standby.query("select pg_wal_replay_pause()");
  const before = await countReads("primary");
  await expectAllReadWhatIsWritten();
  expect(await countReads("primary")).toBeGreaterThan(before);
  await standby.query("select pg_wal_replay_resume()");
});

test("reads from the primary while the replica is down, and logs the change and the recovery", async () => {
  await standby.stop();
  await expectAllReadWhatIsWritten();
  await standby.start();
  const count = await countReads("replica");
  await expect.poll(() => expectAllReadWhatIsWritten().then(() => countReads("replica"))).toBeGreaterThan(count);
  for (const server of servers) {
    const messages = server.log.map(({ msg }) => msg).filter((msg) => String(msg).includes("reading from the replica"));
    expect(new Set(messages)).toEqual(
      new Set(["reading from the replica", "not reading from the replica: using the primary"]),
    );
  }
});
