import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient, EventJson } from "../../testing/api-client.js";
import { type EventStream, openEventStream, type WatchedMessage } from "../../testing/event-stream.js";
import { createJsonClient } from "../../testing/json-client.js";
import { connectToPostgres } from "../../testing/pg-client.js";
import { readMetric } from "../../testing/read-metric.js";
import { newPool } from "../../testing/request-fields.js";
import {
  createTestDatabase,
  dropTestDatabase,
  type PostgresLocation,
  SERVER_ENGINES,
} from "../../testing/test-database.js";
import { serveDatabase, type TestServer } from "../../testing/test-server.js";
import { updatePool } from "../pools/pool-repository.js";

const WRITERS = 12;
const WATCHERS = 4;
const RECONNECTS = Number(process.env.RECONNECTS ?? 200);

const ORIGIN = { method: "test", actor_kind: "operator", actor_name: null, key_prefix: null, issuer: null } as const;
const NO_CONDITION = { etagOneOf: null, etagNoneOf: [] } as const;

/**
 * Watches the log until the cursor reaches the position that `until` returns. Disconnects after a random number of messages, `reconnects` times, and
 * then continues from the last cursor.
 */
async function follow(url: string, cursor: string, reconnects: number, until: () => bigint): Promise<WatchedMessage[]> {
  const received: WatchedMessage[] = [];
  for (let last = cursor, connections = 0; ; connections++) {
    const stream: EventStream = await openEventStream(url, `/dni_manager/events:watch?cursor=${last}`);
    const wanted = connections < reconnects ? randomInt(1, 6) : Number.POSITIVE_INFINITY;
    while (stream.messages.length < wanted && positionOf(stream.messages.at(-1)?.cursor ?? last) < until())
      await pause(2);
    await stream[Symbol.asyncDispose]();
    // The messages that arrived during the disconnection count as not received.
    const read = stream.messages.slice(0, Math.min(wanted, stream.messages.length));
    received.push(...read);
    last = read.at(-1)?.cursor ?? last;
    if (positionOf(last) >= until()) return received;
  }
}

const typesOf = (events: readonly EventJson[]) => events.map(({ type }) => type);

function positionOf(cursor: string): bigint {
  return Buffer.from(cursor, "base64url").readBigInt64BE(16);
}

describe.each(SERVER_ENGINES)("the order of events, on %s", (engine) => {
  let location: PostgresLocation;
  let server: TestServer;
  let api: ApiClient;

  beforeAll(async () => {
    location = await createTestDatabase(engine);
    server = await serveDatabase(location, { managesPools: false });
    api = createJsonClient(server.url);
  });

  afterAll(async () => {
    await server?.stop();
    if (location !== undefined) await dropTestDatabase(engine, location);
  });

  test("is that of the changes, with none skipped and none early, while transactions stay open and roll back", {
    timeout: 120_000 + RECONNECTS * 500,
  }, async () => {
    const { db, kysely } = server.database;
    const pools = await Promise.all(Array.from({ length: 8 }, () => newPool(api)));
    const begin = (await api.listEvents({ account_id: pools[0]?.account.account_token, cursor: "now" })).nextCursor;
    let end = 2n ** 62n;
    const followers = Array.from({ length: WATCHERS }, () =>
      follow(server.url, begin, RECONNECTS / WATCHERS, () => end),
    );
    const deadline = Date.now() + 8000;
    let written = 0;
    const write = async () => {
      // A slow cluster needs more time to write enough events for the reconnections.
      while (Date.now() < deadline || written < RECONNECTS) {
        // A cluster commits the changes of two accounts in two phases, if they are on two workers.
        const first = randomInt(pools.length);
        const changed = pools.slice(first, first + randomInt(1, 3));
        await db
          .transaction(async (transaction) => {
            for (const { account, pool } of changed) {
              const resolved = { accountId: account.id, accountToken: account.account_token };
              const change = {
                account: account.account_token,
                poolId: pool.id,
                size: randomInt(1, 100),
                areaCode: undefined,
                utilization: undefined,
              };
              await updatePool(transaction, resolved, change, NO_CONDITION, ORIGIN);
            }
            await pause(randomInt(10) === 0 ? randomInt(500, 1500) : randomInt(20));
            if (randomInt(6) === 0) throw new Error("rolled back");
          })
          .then(() => {
            written += changed.length;
          })
          .catch((error: Error) => {
            if (error.message !== "rolled back") throw error;
          });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    const { rows } = await sql<{ position: string; resource_id: string }>`
      select position, resource_id from events where position > ${String(positionOf(begin))} order by position`.execute(
      kysely,
    );
    end = BigInt(rows.at(-1)?.position ?? 0);
    expect(rows).toHaveLength(written);
    for (const received of await Promise.all(followers)) {
      const events = received.flatMap(({ event }) => event ?? []);
      expect(events.map(({ position }) => position)).toEqual(rows.map(({ position }) => position));
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    }
  });

  test("waits for an open transaction, which metrics show", async () => {
    const { account, pool } = await newPool(api);
    const account_id = account.account_token;
    const lag = () => readMetric(server.opsUrl, "calltrack_event_lag_seconds");
    await using stream = await openEventStream(server.url, `/dni_manager/accounts/${account_id}/events:watch`);
    const client = await connectToPostgres(location.url);
    await client.query("begin");
    await client.query("insert into events (account_id, type) values (0, 'account.updated')");
    await api.updatePool({ account_id, pool_id: pool.id, size: 7 });
    // ListEvents waits for open transactions for at most a second, so it returns before the open transaction ends.
    expect(typesOf((await api.listEvents({ account_id })).entries)).not.toContain("pool.updated");
    await expect.poll(lag).toBeGreaterThan(1);
    expect(stream.events).toEqual([]);
    await client.query("rollback");
    await client.end();
    await expect.poll(() => typesOf(stream.events)).toEqual(["pool.updated"]);
    await expect.poll(lag).toBe(0);
  });

  describe("a watcher does not wait for an open transaction", () => {
    test.each([
      ["of another table", "insert into settings (name, value) values ('test', '')"],
      ["that only reads events", "select count(*) from events"],
      ["of another database", "create temporary table other (id integer)"],
    ])("%s", async (what, statement) => {
      const { account, pool } = await newPool(api);
      const { url } = location;
      const client = await connectToPostgres(what.includes("database") ? url.replace(/\/[^/]*$/, "/postgres") : url);
      await client.query("begin");
      await client.query(statement);
      await using stream = await openEventStream(
        server.url,
        `/dni_manager/accounts/${account.account_token}/events:watch`,
      );
      await expect.poll(() => stream.messages.length).toBeGreaterThan(0);
      await api.updatePool({ account_id: account.account_token, pool_id: pool.id, size: 7 });
      await expect.poll(() => stream.events.length).toBe(1);
      await client.query("rollback");
      await client.end();
    });
  });
});
