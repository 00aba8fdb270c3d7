import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Executor } from "../executor.js";
import { openPostgres, type PostgresDatabase } from "../open-postgres.js";
import { createStatementFactory } from "../prepared-statement.js";
import { type PostgresNode, startPrimary, startStandby } from "../testing/postgres-node.js";
import { openTcpProxy, type TcpProxy } from "../testing/tcp-proxy.js";

type Database = PostgresDatabase<unknown>;

const { prepareStatement } = createStatementFactory<unknown>();

let primary: PostgresNode;
let standby: PostgresNode;
/** The proxy in front of the standby. */
let proxy: TcpProxy;
/** Two clients of the same primary and standby. */
let databases: readonly Database[];
/** The changes that the clients observed. */
const changes: { readonly isUsed: boolean; readonly reason: unknown }[] = [];

beforeAll(async () => {
  primary = await startPrimary();
  await primary.query("create table things (id int primary key, value int)");
  standby = await startStandby(primary);
  proxy = await openTcpProxy(standby.port, "127.0.0.1");
  databases = [1, 2].map(() => open(standby.url.replace(String(standby.port), String(proxy.port))));
});

afterAll(async () => {
  await proxy.open().catch(() => {});
  proxy.release();
  for (const database of databases) await database.close();
  await proxy.close();
  await standby[Symbol.asyncDispose]();
  await primary[Symbol.asyncDispose]();
});

function open(replicaUrl: string): Database {
  const replica = { change: (isUsed: boolean, reason: unknown) => void changes.push({ isUsed, reason }), read() {} };
  return openPostgres({ url: primary.url, replicaUrl, observer: { replica } });
}

interface Thing {
  readonly value: number;
  /** Whether it was read on the standby. */
  readonly isStandby: boolean;
}

const write = prepareStatement<{ id: number; value: number }, object>((db, parameter) => ({
  compile: () =>
    sql<object>`insert into things (id, value) values (${parameter("id")}, ${parameter("value")})
      on conflict (id) do update set value = excluded.value`.compile(db),
}));

const find = prepareStatement<{ id: number }, Thing>((db, parameter) =>
  db
    .selectFrom(sql<{ id: number; value: number }>`things`.as("thing"))
    .select(["value", sql<boolean>`pg_is_in_recovery()`.as("isStandby")])
    .where("id", "=", parameter("id")),
);

async function read(reads: Executor, id: number): Promise<Thing | undefined> {
  const [thing] = await find(reads, { id });
  return thing;
}

/** Waits until both clients read on the standby. */
async function expectStandbyUsed(): Promise<void> {
  for (const { db, reads } of databases) {
    await write(db, { id: 0, value: 0 });
    await expect.poll(() => read(reads, 0)).toEqual({ value: 0, isStandby: true });
  }
}

let lastId = 0;

/** The number of reads on each server. */
type ReadCounts = Record<"standby" | "primary", number>;

/** Writes through one client and reads through the other until `during` resolves. Returns the number of reads on each server. */
async function writeAndReadDuring(during: (counts: Readonly<ReadCounts>) => Promise<unknown>): Promise<ReadCounts> {
  const counts: ReadCounts = { standby: 0, primary: 0 };
  const [writer, reader] = databases as [Database, Database];
  let isOver = false;
  const work = async () => {
    const id = ++lastId;
    for (let value = 1; !isOver || value < 20; value++) {
      await write(writer.db, { id, value });
      const thing = await read(reader.reads, id);
      expect(thing?.value).toBe(value);
      counts[thing?.isStandby ? "standby" : "primary"]++;
    }
  };
  const working = Promise.all(Array.from({ length: 8 }, work));
  await Promise.race([during(counts), working]);
  isOver = true;
  await working;
  return counts;
}

test("runs reads outside transactions on the standby, and everything else on the primary", async () => {
  await expectStandbyUsed();
  for (const { db, reads } of databases) {
    expect(await read(db, 0)).toMatchObject({ isStandby: false });
    expect(await read(reads, 0)).toMatchObject({ isStandby: true });
    const within = reads.transaction((transaction) => read(transaction, 0));
    expect(await within).toMatchObject({ isStandby: false });
    await write(reads, { id: 0, value: 1 });
    expect(await read(reads, 0)).toMatchObject({ value: 1 });
  }
});

test("reads everything that any client committed before", async () => {
  await expectStandbyUsed();
  const { standby: onStandby } = await writeAndReadDuring(async () => {});
  expect(onStandby).toBeGreaterThan(0);
});

test("reads from the primary while the standby lags, and from the standby again once it has caught up", async () => {
  await expectStandbyUsed();
  await standby.query("select pg_wal_replay_pause()");
  const paused = "select pg_get_wal_replay_pause_state() as state";
  await expect.poll(() => standby.query(paused)).toEqual([{ state: "paused" }]);
  const counts = await writeAndReadDuring(async () => {});
  expect(counts.standby).toBe(0);
  expect(changes.at(-1)).toMatchObject({
    isUsed: false,
    reason: { message: "it is more than 50 ms behind the primary" },
  });
  await standby.query("select pg_wal_replay_resume()");
  await expectStandbyUsed();
  expect(changes.at(-1)).toEqual({ isUsed: true });
});

test.each(["stop", "crash"] as const)(
  "loses no read during a %s of the standby, and uses it again afterwards",
  async (end) => {
    await expectStandbyUsed();
    await writeAndReadDuring(async (counts) => {
      await standby[end]();
      await expect.poll(() => counts.primary).toBeGreaterThan(0);
      await standby.start();
      await expectStandbyUsed();
    });
  },
);

test("runs reads on the primary if the standby does not answer", async () => {
  await expectStandbyUsed();
  const [{ reads }] = databases as [Database];
  proxy.hold();
  // The first read may count as slow before the standby counts as silent.
  for (let turn = 0; turn < 2; turn++) expect(await read(reads, 0)).toEqual({ value: 0, isStandby: false });
  expect(changes.at(-1)).toMatchObject({ isUsed: false, reason: { message: "it does not answer" } });
  proxy.release();
  await expectStandbyUsed();
});

test("runs a slow read on the primary, and other reads on the standby meanwhile", async () => {
  await expectStandbyUsed();
  const [{ reads }] = databases as [Database];
  const slow = prepareStatement<object, { isStandby: boolean }>((builder) =>
    builder.selectNoFrom([
      sql<boolean>`pg_is_in_recovery()`.as("isStandby"),
      sql<string>`pg_sleep(case when pg_is_in_recovery() then 3 else 0 end)::text`.as("slept"),
    ]),
  );
  let isOver = false;
  const end = slow(reads, {}).finally(() => {
    isOver = true;
  });
  for (let turn = 0; !isOver || turn < 20; turn++) {
    // A read behind the slow one on the same connection also runs on the primary.
    if (isOver) expect(await read(reads, 0)).toMatchObject({ isStandby: true });
    else await read(reads, 0);
  }
  expect(await end).toMatchObject([{ isStandby: false }]);
  expect(changes.at(-1)).toEqual({ isUsed: true });
});

test("retries a read on the primary if it fails on the standby", async () => {
  await expectStandbyUsed();
  const [{ db, reads }] = databases as [Database];
  const failing = prepareStatement<object, { quotient: number }>((builder) =>
    builder.selectNoFrom(sql<number>`1 / (case when pg_is_in_recovery() then 0 else 1 end)`.as("quotient")),
  );
  expect(await failing(reads, {})).toEqual([{ quotient: 1 }]);
  expect(await read(reads, 0)).toMatchObject({ isStandby: true });
  expect(await failing(db, {})).toEqual([{ quotient: 1 }]);
});

test("does not read from a restarted standby that lags behind its earlier position", async () => {
  await expectStandbyUsed();
  const [{ db, reads }] = databases as [Database];
  await write(db, { id: 0, value: 7 });
  expect(await read(reads, 0)).toEqual({ value: 7, isStandby: true });
  await standby.query("alter system set recovery_min_apply_delay = '1h'");
  await standby.crash();
  await standby.start();
  expect(await standby.query("select value from things where id = 0")).not.toEqual([{ value: 7 }]);
  expect(await read(reads, 0)).toEqual({ value: 7, isStandby: false });
  await standby.query("alter system reset recovery_min_apply_delay");
  await standby.query("select pg_reload_conf()");
  await expectStandbyUsed();
});

test("does not use the primary, another primary or its standby as the standby", async () => {
  await using other = await startPrimary();
  await using otherStandby = await startStandby(other);
  for (const [node, message] of [
    [primary, "it is not a standby"],
    [other, "it is not a standby"],
    [otherStandby, "it does not follow this primary"],
  ] as const) {
    const database = open(node.url);
    changes.length = 0;
    await write(database.db, { id: 0, value: 0 });
    expect(await read(database.reads, 0)).toEqual({ value: 0, isStandby: false });
    await expect.poll(() => changes.at(-1)).toMatchObject({ isUsed: false, reason: { message } });
    await database.close();
  }
});

test("does not read from a promoted standby", async () => {
  await expectStandbyUsed();
  await standby.query("select pg_promote()");
  await standby.query("update things set value = -1");
  const { standby: onStandby } = await writeAndReadDuring(async () => {});
  expect(onStandby).toBe(0);
  expect(changes.at(-1)).toMatchObject({ isUsed: false });
});
