import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, describe, expect, onTestFinished, test } from "vitest";
import { KyselyExecutor } from "./kysely-executor.js";
import { openPostgres, type PostgresDatabase, type PostgresOptions } from "./open-postgres.js";
import { isCanceledError, isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";
import { createStatementFactory } from "./prepared-statement.js";
import { RequestAbandonedError } from "./request-deadline.js";
import { runWithDeadline } from "./statement-context.js";
import { prepareRaw } from "./testing/raw-statement.js";
import { openTcpProxy } from "./testing/tcp-proxy.js";
import { connect, createDatabase } from "./testing/test-database.js";

const NAME = "test-faults";

/** Waits until the sessions under test have ended, so that the next test does not see them. */
const TERMINATE = "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = $1";

const CANCELED = { status: "rejected", reason: expect.toSatisfy(isCanceledError) };

const { prepareStatement } = createStatementFactory<unknown>();

const sleep = prepareStatement<{ seconds: number }, { slept: unknown }>((db, parameter) =>
  db.selectNoFrom(sql`pg_sleep(${parameter("seconds")}::float8)`.as("slept")),
);

const findSession = prepareStatement<object, { pid: number }>((db) =>
  db.selectNoFrom(sql<number>`pg_backend_pid()`.as("pid")),
);

const add = prepareRaw<{ id: number; by: number }, { n: number }>(
  (parameter) => sql`update counts set n = n + ${parameter("by")} where id = ${parameter("id")} returning n`,
);

const url = new URL(await createDatabase());
const outside = await connect(url.href);
/** A connection that holds locks in a transaction. `outside` cannot do so, because pg_stat_activity does not change within a transaction. */
const locker = await connect(url.href);
await outside.query("create table counts (id int primary key, n int not null)");
await outside.query("insert into counts select id, 0 from generate_series(1, 9) id");

const proxy = await openTcpProxy(Number(url.port || 5432), url.hostname);
afterAll(proxy.close);
url.host = proxy.host;
url.searchParams.set("application_name", NAME);

// The server continues to run a statement after its connection was closed at the timeout.
afterEach(() => outside.query(TERMINATE, [NAME]));

function open(options: Omit<PostgresOptions, "url"> = {}): PostgresDatabase<unknown> {
  const database = openPostgres({ url: url.href, ...options });
  onTestFinished(database.close);
  return database;
}

/** Returns the statements in progress in the sessions under test, except in sessions that are starting. */
async function running(): Promise<string[]> {
  const { rows } = await outside.query(
    `select query from pg_stat_activity
     where application_name = $1 and state not in ('idle', 'starting') and query not like '%transaction_read_only%'`,
    [NAME],
  );
  return rows.map(({ query }) => query);
}

async function countOf(id: number): Promise<number> {
  return (await outside.query("select n from counts where id = $1", [id])).rows[0].n;
}

/** Locks a row. Returns a function that unlocks the row. */
async function lock(id: number): Promise<() => Promise<unknown>> {
  await locker.query("begin");
  await locker.query("select from counts where id = $1 for update", [id]);
  return () => locker.query("rollback");
}

/** Runs work for a request that is aborted when `until` resolves. */
function giveUp<T>(work: () => Promise<T>, until: () => Promise<unknown>): Promise<T> {
  const caller = new AbortController();
  const done = runWithDeadline(caller.signal, work);
  done.catch(() => {});
  void until().then(() => caller.abort());
  return done;
}

/** Waits until exactly `count` sessions wait for a lock. */
const waitForLocks = (count: number) =>
  expect
    .poll(async () => {
      const { rows } = await outside.query(
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length;
    })
    .toBe(count);

const waitsForLock = () => waitForLocks(1);

test("no statement fails after a column type changed, however many connections prepared the statement", async () => {
  await outside.query("create table changing as select 1 as value");
  onTestFinished(async () => void (await outside.query("drop table changing")));
  const read = prepareRaw<{ seconds: number }, { value: unknown }>(
    (parameter) => sql`select value from changing, pg_sleep(${parameter("seconds")}::float8)`,
  );
  const { db } = open({ maxReads: 8 });
  await Promise.all(Array.from({ length: 8 }, () => read(db, { seconds: 0.2 })));
  await outside.query("alter table changing alter column value type text");
  expect(await read(db, { seconds: 0 })).toEqual([{ value: "1" }]);
  expect(await Promise.all(Array.from({ length: 8 }, () => read(db, { seconds: 0 })))).toEqual(
    Array(8).fill([{ value: "1" }]),
  );
});

describe("when the caller gives up", () => {
  test("cancels a running write, which changes nothing", async () => {
    const { db } = open();
    const unlock = await lock(1);
    await expect(giveUp(() => add(db, { id: 1, by: 1 }), waitsForLock)).rejects.toSatisfy(isCanceledError);
    await unlock();
    expect(await countOf(1)).toBe(0);
    expect(await add(db, { id: 1, by: 1 })).toEqual([{ n: 1 }]);
  });

  test("cancels a transaction, rolls it back and reuses its connection", async () => {
    const { db } = open();
    const unlock = await lock(1);
    const change = () =>
      db.transaction(async (transaction) => {
        await add(transaction, { id: 2, by: 1 });
        await add(transaction, { id: 1, by: 1 });
      });
    await expect(giveUp(change, waitsForLock)).rejects.toSatisfy(isCanceledError);
    expect(await running()).toEqual([]);
    await unlock();
    expect(await countOf(2)).toBe(0);
    await change();
    expect(await countOf(2)).toBe(1);
  });

  test("ends a transaction before its next statement", async () => {
    const { db } = open();
    const caller = new AbortController();
    const change = db.transaction((transaction) =>
      runWithDeadline(caller.signal, async () => {
        await add(transaction, { id: 3, by: 1 });
        caller.abort();
        await add(transaction, { id: 3, by: 1 });
      }),
    );
    await expect(change).rejects.toThrow(RequestAbandonedError);
    expect(await countOf(3)).toBe(0);
  });

  test("never sends a waiting statement", async () => {
    const { db } = open();
    const unlock = await lock(4);
    const before = Array.from({ length: 16 }, () => add(db, { id: 4, by: 1 }));
    await expect.poll(async () => (await running()).length).toBe(16);
    const caller = new AbortController();
    const waiting = runWithDeadline(caller.signal, () => add(db, { id: 5, by: 1 }));
    const abandoned = expect(waiting).rejects.toThrow(RequestAbandonedError);
    caller.abort();
    await unlock();
    await abandoned;
    await Promise.all(before);
    expect([await countOf(4), await countOf(5)]).toEqual([16, 0]);
  });

  test("cancels running reads and writes although their own connections are all busy", async () => {
    const { db } = open({ maxReads: 2, maxWrites: 2 });
    const unlock = await lock(4);
    const caller = new AbortController();
    const calls = [1, 2].flatMap(() => [
      runWithDeadline(caller.signal, () => add(db, { id: 4, by: 1 })),
      runWithDeadline(caller.signal, () => sleep(db, { seconds: 20 })),
    ]);
    const settled = Promise.allSettled<unknown>(calls);
    await expect.poll(async () => (await running()).length).toBe(4);
    caller.abort();
    for (const result of await settled) expect(result).toMatchObject(CANCELED);
    await unlock();
    expect(await sleep(db, { seconds: 0 })).toHaveLength(1);
    expect(await add(db, { id: 5, by: 1 })).toEqual([{ n: 1 }]);
  });

  test("does not abandon statements that outlive the request", async () => {
    const { db } = open();
    const unlock = await lock(6);
    const caller = new AbortController();
    const { late } = await runWithDeadline(caller.signal, async () => ({ late: add(db, { id: 6, by: 1 }) }));
    caller.abort();
    await unlock();
    expect(await late).toEqual([{ n: 1 }]);
  });
});

describe.each([
  ["by the server", true],
  ["by the client, behind PgBouncer", false],
])("cancels a statement at its timeout %s", (_, prepare) => {
  test("outside a transaction, and in one", async () => {
    const { db } = open({ prepare, statementTimeoutMs: 200 });
    const results = await Promise.allSettled([
      sleep(db, { seconds: 20 }),
      db.transaction((transaction) => sleep(transaction, { seconds: 20 })),
    ]);
    for (const result of results) expect(result).toMatchObject(CANCELED);
    expect(await sleep(db, { seconds: 0 })).toHaveLength(1);
  });
});

describe("retries", () => {
  test("a deadlock of a statement", async () => {
    const { db } = open();
    await locker.query("set deadlock_timeout = '1h'");
    const unlock = await lock(8);
    await outside.query("select pg_advisory_lock(1)");
    const both = prepareRaw(
      () => sql`with a as (update counts set n = n + 1 where id = 7 returning n),
        b as (select pg_advisory_xact_lock(1) from a)
        update counts set n = counts.n + 1 from b where id = 8 returning counts.n`,
    );
    const write = both(db, {});
    await waitsForLock();
    const blocked = locker.query("update counts set n = 0 where id = 7");
    await waitForLocks(2);
    // The session under test starts to wait last, so it detects the deadlock and is canceled.
    await outside.query("select pg_advisory_unlock(1)");
    await blocked;
    await unlock();
    expect(await write).toHaveLength(1);
  });

  test("a deadlock of transactions", async () => {
    const { db } = open();
    let begun = 0;
    const { promise: bothBegun, resolve } = Promise.withResolvers<void>();
    const addTo = (first: number, second: number) =>
      db.transaction(async (transaction) => {
        await add(transaction, { id: first, by: 1 });
        if (++begun === 2) resolve();
        await bothBegun;
        return add(transaction, { id: second, by: 1 });
      });
    const before = [await countOf(7), await countOf(8)];
    await Promise.all([addTo(7, 8), addTo(8, 7)]);
    // On a busy machine, the second attempt may deadlock with the other transaction again.
    expect(begun).toBeGreaterThanOrEqual(3);
    expect([await countOf(7), await countOf(8)]).toEqual(before.map((n) => n + 2));
  });

  test("a read whose connection is lost during a short outage", async () => {
    const { db } = open();
    const read = sleep(db, { seconds: 2 });
    await expect.poll(running).toHaveLength(1);
    await proxy.close();
    const never = sleep(db, { seconds: 0 });
    await pause(100);
    await proxy.open();
    expect([await read, await never]).toMatchObject([{ length: 1 }, { length: 1 }]);
  });

  test("a read whose old connection is lost during a short outage", async () => {
    const { db } = open();
    const read = sleep(db, { seconds: 4 });
    // Longer than SHORT_OUTAGE_MS.
    await pause(2500);
    await proxy.close();
    await pause(500);
    await proxy.open();
    expect(await read).toHaveLength(1);
  });

  test("no write whose outcome is unknown", async () => {
    const { db, kysely } = open();
    const unlock = await lock(9);
    const write = add(db, { id: 9, by: 1 });
    const transaction = kysely.transaction().execute((each) => add(new KyselyExecutor(each), { id: 9, by: 1 }));
    const settled = Promise.allSettled([write, transaction]);
    await waitForLocks(2);
    await proxy.close();
    await proxy.open();
    const [one, other] = await settled;
    expect(one).toMatchObject({ reason: { name: OutcomeUnknownError.name } });
    // The server rolls back the uncommitted transaction.
    expect(other).toMatchObject({ status: "rejected", reason: expect.toSatisfy(isDatabaseUnavailable) });
    expect(other).not.toMatchObject({ reason: { name: OutcomeUnknownError.name } });
    await unlock();
  });

  test("no transaction whose connection is lost during the commit", async () => {
    const { db } = open();
    await outside.query(`
      create table slow (n int);
      create function sleep_at_commit() returns trigger language plpgsql as $$
        begin perform pg_sleep(new.n); return null; end $$;
      create constraint trigger sleep_at_commit after insert on slow deferrable initially deferred
        for each row execute function sleep_at_commit()`);
    const insert = prepareRaw<{ n: number }, object>((parameter) => sql`insert into slow values (${parameter("n")})`);
    const lost = db.transaction((each) => insert(each, { n: 2 }));
    lost.catch(() => {});
    await expect.poll(running).toEqual(["commit"]);
    await proxy.close();
    await proxy.open();
    await expect(lost).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await db.transaction((each) => add(each, { id: 1, by: 0 }))).toHaveLength(1);
  });
});

test.each([true, false])(
  "replaces idle connections that a load balancer dropped, with prepare: %s",
  async (prepare) => {
    const { db } = open({ prepare, statementTimeoutMs: 0 });
    await Promise.all([1, 2, 3].map(() => add(db, { id: 8, by: 0 })));
    const before = await countOf(8);
    // Longer than MAX_UNCHECKED_MS, so that the connections are checked before use.
    await pause(1500);
    proxy.drop();
    await Promise.all([1, 2, 3].map(() => add(db, { id: 8, by: 1 })));
    expect(await countOf(8)).toBe(before + 3);
    proxy.release();
  },
);

describe("a fatal error", () => {
  const terminate = prepareRaw<{ n: number }, object>(
    (parameter) => sql`with counted as (update counts set n = n + 1 where id = ${parameter("n")})
      select pg_terminate_backend(pg_backend_pid())`,
  );

  test("leaves the outcome of a write unknown, and its connection is not used again", async () => {
    const { db } = open({ maxWrites: 1 });
    for (let run = 0; run < 10; run++) {
      await expect(terminate(db, { n: 9 })).rejects.toMatchObject({
        name: OutcomeUnknownError.name,
        cause: { code: "57P01" },
      });
      expect(await add(db, { id: 9, by: 0 })).toHaveLength(1);
    }
  });

  test("leaves the outcome of a commit unknown", async () => {
    const { db, kysely } = open();
    await outside.query(`
      create table fatal (n int);
      create function die_at_commit() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
      create constraint trigger die_at_commit after insert on fatal deferrable initially deferred
        for each row execute function die_at_commit()`);
    const insert = prepareRaw(() => sql`insert into fatal values (1)`);
    const unknown = { name: OutcomeUnknownError.name, cause: { code: "57P01" } };
    await expect(db.transaction((each) => insert(each, {}))).rejects.toMatchObject(unknown);
    const transaction = kysely.transaction().execute((each) => insert(new KyselyExecutor(each), {}));
    await expect(transaction).rejects.toMatchObject(unknown);
    expect(await db.transaction((each) => add(each, { id: 9, by: 0 }))).toHaveLength(1);
  });

  test("before the commit causes a retry of the transaction", async () => {
    const { db } = open();
    let runs = 0;
    const result = await db.transaction(async (each) => {
      runs++;
      if (runs < 3) await terminate(each, { n: 9 });
      return add(each, { id: 9, by: 0 });
    });
    expect(result).toHaveLength(1);
    expect(runs).toBe(3);
  });
});

test("replaces all connections when a statement finds its server read-only", async () => {
  const { db, kysely } = open({ maxReads: 1, maxWrites: 1 });
  const [before] = await findSession(db, {});
  await sql`set default_transaction_read_only = on`.execute(kysely);
  expect(await add(db, { id: 8, by: 0 })).toHaveLength(1);
  const [after] = await findSession(db, {});
  expect(after?.pid).not.toBe(before?.pid);
});

test("reconnects when its server becomes read-only, until it reaches a primary", async () => {
  const { db } = open();
  expect(await add(db, { id: 8, by: 1 })).toHaveLength(1);
  const database = url.pathname.slice(1);
  await db.transaction((each) => sleep(each, { seconds: 0 }));
  await outside.query(`alter database ${database} set default_transaction_read_only = on`);
  await outside.query(TERMINATE, [NAME]);
  await expect(add(db, { id: 8, by: 1 })).rejects.toSatisfy(isDatabaseUnavailable);
  await expect(sleep(db, { seconds: 0 })).rejects.toSatisfy(isDatabaseUnavailable);
  await outside.query("set default_transaction_read_only = off");
  await outside.query(`alter database ${database} reset default_transaction_read_only`);
  expect(await add(db, { id: 8, by: 1 })).toHaveLength(1);
  expect(await sleep(db, { seconds: 0 })).toHaveLength(1);
});
