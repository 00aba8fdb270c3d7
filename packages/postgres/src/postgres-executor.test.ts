import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { sql } from "kysely";
import { afterAll, describe, expect, test, vi } from "vitest";
import { KyselyExecutor } from "./kysely-executor.js";
import { openPostgres } from "./open-postgres.js";
import { isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";
import { createStatementFactory } from "./prepared-statement.js";
import { prepareRaw } from "./testing/raw-statement.js";
import { connect, createDatabase } from "./testing/test-database.js";

const NAME = "test-executor";

const { prepareStatement } = createStatementFactory<unknown>();

const idleErrors: Error[] = [];
const url = new URL(await createDatabase());
/** A separate connection that inspects the server and terminates sessions. */
const outside = await connect(url.href);
url.searchParams.set("application_name", NAME);
await outside.query("create table things (id int primary key, name text)");

const echo = prepareStatement<{ value: string }, { value: string }>((db, parameter) =>
  db.selectNoFrom(sql<string>`${parameter("value")}::text`.as("value")),
);

const divide = prepareStatement<{ by: number }, { quotient: number }>((db, parameter) =>
  db.selectNoFrom(sql<number>`12 / ${parameter("by")}::int`.as("quotient")),
);

const sleep = prepareStatement<{ seconds: number }, { pid: number }>((db, parameter) =>
  db
    .selectNoFrom(sql`pg_sleep(${parameter("seconds")}::float8)`.as("slept"))
    .select(sql<number>`pg_backend_pid()`.as("pid")),
);

const sleepWriting = prepareRaw<{ seconds: number }, object>(
  (parameter) => sql`select pg_sleep(${parameter("seconds")}::float8)`,
);

const put = prepareRaw<{ id: number; name: string }, { id: number; pid: number }>(
  (parameter) => sql`insert into things (id, name) values (${parameter("id")}, ${parameter("name")})
    on conflict (id) do update set name = excluded.name returning id, pg_backend_pid() as pid`,
);

/** Returns the server process ids of the sessions under test that meet an SQL condition. */
async function sessions(condition = "true"): Promise<number[]> {
  const sessionsOf = `select pid from pg_stat_activity where application_name = $1 and ${condition}`;
  return (await outside.query(sessionsOf, [NAME])).rows.map(({ pid }) => pid);
}

const sleepers = () => sessions("state = 'active' and query like '%pg_sleep%'");

describe.each([
  ["with prepared statements", true],
  ["without", false],
])("%s", (_, prepare) => {
  const database = openPostgres({
    url: url.href,
    prepare,
    sessionSettings: { idle_in_transaction_session_timeout: "60000" },
    observer: { onIdleError: (error) => idleErrors.push(error) },
  });

  afterAll(async () => {
    await database.close();
    await vi.waitUntil(async () => (await sessions()).length === 0, 120_000);
  });

  test("returns each of a thousand concurrent statements its own result", async () => {
    const { db } = database;
    const results = Array.from({ length: 1000 }, async (_, n) => {
      if (n % 7 === 0) return expect(await put(db, { id: n, name: `thing ${n}` })).toMatchObject([{ id: n }]);
      if (n % 5 === 0) return expect(await divide(db, { by: (n % 3) + 1 })).toEqual([{ quotient: 12 / ((n % 3) + 1) }]);
      if (n % 11 === 0)
        return expect((await sql`select ${n}::int as n`.execute(database.kysely)).rows).toEqual([{ n }]);
      if (n % 13 === 0) {
        const transaction = db.transaction(async (trx) => (await echo(trx, { value: `in ${n}` }))[0]);
        return expect(await transaction).toEqual({ value: `in ${n}` });
      }
      return expect(await echo(db, { value: `value ${n}` })).toEqual([{ value: `value ${n}` }]);
    });
    await Promise.all(results);
  });

  test("rejects only the failed statement, at any position", async () => {
    const calls = Array.from({ length: 300 }, (_, n) => divide(database.db, { by: n % 3 }));
    const results = await Promise.allSettled(calls);
    for (const [n, result] of results.entries()) {
      if (n % 3 === 0) expect(result).toMatchObject({ status: "rejected", reason: { code: "22012" } });
      else expect(result).toEqual({ status: "fulfilled", value: [{ quotient: 12 / (n % 3) }] });
    }
  });

  test("rejects statements that the server cannot parse, including the first with a given text", async () => {
    const missing = prepareRaw(() => sql`select * from ${sql.raw(`nowhere_${prepare}`)}`);
    const read = prepareStatement((db) =>
      db.selectNoFrom(sql`(select count(*) from ${sql.raw(`nowhere_${prepare}`)})`.as("count")),
    );
    for (const statement of [missing, read]) {
      const calls = Array.from({ length: 100 }, () => statement(database.db, {}));
      for (const result of await Promise.allSettled(calls)) expect(result).toMatchObject({ reason: { code: "42P01" } });
    }
    await outside.query(`create table nowhere_${prepare} ()`);
    const calls = Array.from({ length: 100 }, () => read(database.db, {}));
    for (const rows of await Promise.all(calls)) expect(rows).toEqual([{ count: "0" }]);
  });

  test("rejects only a statement with a value that cannot be encoded", async () => {
    const values = { toPostgres: () => expect.unreachable() } as unknown as string;
    const calls = [echo(database.db, { value: "a" }), echo(database.db, { value: values })];
    expect(await Promise.allSettled([...calls, echo(database.db, { value: "b" })])).toMatchObject([
      { value: [{ value: "a" }] },
      { status: "rejected" },
      { value: [{ value: "b" }] },
    ]);
  });

  test("returns values of the same types as a transaction", async () => {
    const read = prepareStatement<{ at: Date; none: string | null }, unknown>((db, parameter) =>
      db.selectNoFrom([
        sql`${parameter("at")}::timestamptz`.as("at"),
        sql`${parameter("none")}::text`.as("none"),
        sql`9007199254740993::bigint`.as("big"),
        sql`1.50::numeric`.as("exact"),
        sql`0.5::float8`.as("float"),
        sql`array[1, 2]`.as("list"),
        sql`'{"a": [null]}'::jsonb`.as("json"),
        sql`true`.as("yes"),
        sql`'\\x00ff'::bytea`.as("bytes"),
      ]),
    );
    const at = new Date("2026-01-02T03:04:05.678Z");
    const row = { at, none: null, big: "9007199254740993", exact: "1.50", float: 0.5, list: [1, 2], yes: true };
    const expected = [{ ...row, json: { a: [null] }, bytes: Buffer.from([0, 255]) }];
    for (let run = 0; run < 3; run++) expect(await read(database.db, { at, none: null })).toEqual(expected);
    const inTransaction = database.db.transaction((trx) => read(trx, { at, none: null }));
    expect(await inTransaction).toEqual(expected);
  });

  test("returns a property for each column, whatever its name; of several with one name, the last", async () => {
    const read = prepareRaw<object, object>(
      () => sql`select 1 as "__proto__", 2 as "a""\\b\n'", 3 as twice, null as "1", 4 as twice`,
    );
    for (let run = 0; run < 3; run++) {
      const [row = {}] = await read(database.db, {});
      expect(new Map(Object.entries(row))).toEqual(
        new Map<string, unknown>([
          ["__proto__", 1],
          [`a"\\b\n'`, 2],
          ["twice", 4],
          ["1", null],
        ]),
      );
    }
  });

  test("rejects only the canceled statement", async () => {
    const { db } = database;
    const slow = Array.from({ length: 3 }, () => sleep(db, { seconds: 20 }));
    const settled = Promise.allSettled(slow);
    await expect.poll(sleepers).toHaveLength(3);
    const behind = Array.from({ length: 30 }, (_, n) => echo(db, { value: String(n) }));
    for (const pid of await sleepers()) await outside.query("select pg_cancel_backend($1)", [pid]);
    for (const result of await settled) expect(result).toMatchObject({ reason: { code: "57014" } });
    expect(await Promise.all(behind)).toEqual(Array.from({ length: 30 }, (_, n) => [{ value: String(n) }]));
  });

  test("cancels an aborted Kysely statement at the server", async () => {
    const abort = new AbortController();
    const query = sql`select pg_sleep(20)`.compile(database.kysely);
    const result = database.kysely.executeQuery(query, {
      signal: abort.signal,
      inflightQueryAbortStrategy: "cancel query",
    });
    const rejected = expect(result).rejects.toThrow("enough");
    await expect.poll(sleepers).toHaveLength(1);
    abort.abort(new Error("enough"));
    await rejected;
    await expect.poll(sleepers).toEqual([]);
    expect(await echo(database.db, { value: "after" })).toEqual([{ value: "after" }]);
  });

  test("does not delay reads and other writes behind a write that waits for a lock", async () => {
    const { db } = database;
    await put(db, { id: 5000, name: "before" });
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>();
    const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
    const transaction = db.transaction(async (trx) => {
      await put(trx, { id: 5000, name: "in the transaction" });
      locked();
      await mayCommit;
    });
    await isLocked;
    const waiting = Array.from({ length: 4 }, () => put(db, { id: 5000, name: "after" }));
    const others = Array.from({ length: 50 }, (_, n) => put(db, { id: 6000 + n, name: "other" }));
    expect(await Promise.all(others)).toHaveLength(50);
    expect(await echo(db, { value: "read" })).toEqual([{ value: "read" }]);
    expect((await outside.query("select name from things where id = 5000")).rows).toEqual([{ name: "before" }]);
    commit();
    await transaction;
    await Promise.all(waiting);
    expect((await outside.query("select name from things where id = 5000")).rows).toEqual([{ name: "after" }]);
  });

  test("rolls back a transaction that throws, and runs each transaction in one session", async () => {
    const { db } = database;
    const fail = db.transaction(async (trx) => {
      await put(trx, { id: 7000, name: "never" });
      throw new Error("changed my mind");
    });
    await expect(fail).rejects.toThrow("changed my mind");
    await database.kysely.connection().execute(async (connection) => {
      await sql`set local statement_timeout = 0; select 1; select 2`.execute(connection);
      const first = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)).rows;
      expect(await put(new KyselyExecutor(connection), { id: 7001, name: "here" })).toMatchObject(first);
    });
    expect((await outside.query("select id from things where id between 7000 and 7999")).rows).toEqual([{ id: 7001 }]);
  });

  test("rejects the writes of a killed connection with an unknown outcome, and retries its reads", async () => {
    const { db } = database;
    const writes = [1, 2, 3].map(() => sleepWriting(db, { seconds: 20 }));
    const reads = [1, 2, 3].map(() => sleep(db, { seconds: 3 }));
    await expect.poll(sleepers).toHaveLength(6);
    const pids = await sleepers();
    const behind = Array.from({ length: 30 }, (_, n) => echo(db, { value: String(n) }));
    const settled = Promise.allSettled(writes);
    await outside.query("select pg_terminate_backend(pid) from unnest($1::int[]) pid", [pids]);
    for (const result of await settled) expect(result).toMatchObject({ reason: expect.any(OutcomeUnknownError) });
    for (const [{ pid } = { pid: 0 }] of await Promise.all(reads)) expect(pids).not.toContain(pid);
    expect(await Promise.all(behind)).toEqual(Array.from({ length: 30 }, (_, n) => [{ value: String(n) }]));
    const many = Array.from({ length: 100 }, (_, n) => echo(db, { value: String(n) }));
    expect(await Promise.all(many)).toHaveLength(100);
  });

  test("rejects a write with an unknown outcome when the server reports that it lost a connection", async () => {
    await outside.query(`create or replace function lose_statement() returns int language plpgsql as $$
      begin raise exception 'connection to the remote node was lost' using errcode = '08006'; end $$`);
    const lose = prepareRaw(() => sql`select lose_statement()`);
    await expect(lose(database.db, {})).rejects.toBeInstanceOf(OutcomeUnknownError);
    expect(await put(database.db, { id: 1, name: "after" })).toMatchObject([{ id: 1 }]);
  });

  test("reuses a connection after a commit with an unknown outcome", async () => {
    const { db } = database;
    await outside.query(`
      drop table if exists lost cascade;
      create table lost (n int);
      create or replace function lose_commit() returns trigger language plpgsql as $$
        begin raise exception 'connection to the remote node was lost' using errcode = '08006'; end $$;
      create constraint trigger lost after insert on lost deferrable initially deferred
        for each row execute function lose_commit()`);
    const insert = database.kysely.transaction().execute((trx) => sql`insert into lost values (1)`.execute(trx));
    await expect(insert).rejects.toBeInstanceOf(OutcomeUnknownError);
    const fail = db.transaction(async (trx) => {
      await put(trx, { id: 8000, name: "never" });
      throw new Error("changed my mind");
    });
    await expect(fail).rejects.toThrow("changed my mind");
    await db.transaction((trx) => put(trx, { id: 8001, name: "here" }));
    const { rows } = await outside.query("select id from things where id between 8000 and 8999");
    expect(rows).toEqual([{ id: 8001 }]);
  });

  test("retries a transaction on another connection after a migration changed its statement", async () => {
    const { db } = database;
    await outside.query(`create table altered_${prepare} (n int); insert into altered_${prepare} values (1)`);
    const select = prepareRaw<{ none: null }, { n: unknown }>(
      (parameter) =>
        sql`select n from ${sql.table(`altered_${prepare}`)} where n is distinct from ${parameter("none")}`,
    );
    const read = () => db.transaction((trx) => select(trx, { none: null }));
    expect(await read()).toEqual([{ n: 1 }]);
    await outside.query(`alter table altered_${prepare} alter n type bigint`);
    expect(await read()).toHaveLength(1);
  });

  test("sends session settings only with prepared statements", async () => {
    const show = sql<object>`show idle_in_transaction_session_timeout`;
    const { rows } = await database.kysely.transaction().execute((trx) => show.execute(trx));
    // PgBouncer, which requires prepare: false, does not forward session settings.
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: prepare ? "1min" : "0" }]);
  });

  test("applies options of the URL, and gets values in the same text format whatever the settings of the database", async () => {
    const styles = ["datestyle = 'German'", "intervalstyle = 'iso_8601'", "timezone = 'Asia/Tokyo'"];
    const name = new URL(url).pathname.slice(1);
    for (const style of styles) await outside.query(`alter database ${name} set ${style}`);
    const other = new URL(url);
    other.searchParams.set("options", "-c datestyle=SQL -c lock_timeout=4321");
    const opened = openPostgres({ url: other.href, prepare, sessionSettings: { jit: "off" } });
    const { rows } = await sql`
      select '2026-11-25 12:00:00+00'::timestamptz as time, current_setting('timezone') as zone,
        current_setting('intervalstyle') as style, current_setting('lock_timeout') as lock`.execute(opened.kysely);
    expect(rows).toEqual([{ time: new Date("2026-11-25T12:00:00Z"), zone: "UTC", style: "postgres", lock: "4321ms" }]);
    await opened.close();
    await outside.query(`alter database ${name} reset all`);
  });

  test("reports and replaces killed idle connections", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => put(database.db, { id: n, name: "warm" })));
    idleErrors.length = 0;
    const { rows } = await outside.query(
      "select count(pg_terminate_backend(pid))::int from pg_stat_activity where application_name = $1",
      [NAME],
    );
    await expect.poll(() => idleErrors).toHaveLength(rows[0].count);
    expect(await put(database.db, { id: 1, name: "new" })).toMatchObject([{ id: 1 }]);
    expect(await echo(database.db, { value: "new" })).toEqual([{ value: "new" }]);
  });

  test("runs a statement on new connections after a migration changed the type of its result", async () => {
    await outside.query(`create table changing_${prepare} (n int)`);
    await outside.query(`insert into changing_${prepare} values (1)`);
    const read = prepareStatement((db) =>
      db.selectFrom(sql<{ n: unknown }>`${sql.table(`changing_${prepare}`)}`.as("changing")).select("n"),
    );
    expect(await Promise.all(Array.from({ length: 20 }, () => read(database.db, {})))).toHaveLength(20);
    await outside.query(`alter table changing_${prepare} alter n type text`);
    for (let run = 0; run < 3; run++) await read(database.db, {}).catch(() => {});
    expect(await Promise.all(Array.from({ length: 20 }, () => read(database.db, {})))).toEqual(
      Array.from({ length: 20 }, () => [{ n: "1" }]),
    );
  });

  test("waits for statements and transactions in progress when closing, and rejects new ones", async () => {
    const closing = openPostgres({ url: url.href, prepare });
    const slow = [
      sleep(closing.db, { seconds: 0.3 }),
      echo(closing.db, { value: "a" }),
      put(closing.db, { id: 1, name: "" }),
    ];
    const transaction = closing.db.transaction(async (trx) => {
      await sleep(trx, { seconds: 0.2 });
      return echo(trx, { value: "b" });
    });
    await echo(closing.db, { value: "open" });
    const closed = closing.close();
    expect(await Promise.all([...slow, transaction])).toHaveLength(4);
    await closed;
    await expect(echo(closing.db, { value: "late" })).rejects.toThrow("closed");
  });
});

test("waits for a connection in use if the server allows no more", async () => {
  await outside.query("create role limited login password 'limited' connection limit 2");
  const limited = Object.assign(new URL(url), { username: "limited", password: "limited" });
  const { db, close } = openPostgres({ url: limited.href });
  const runs = Array.from({ length: 40 }, (_, n) => sleep(db, { seconds: n / 1000 }));
  expect(new Set((await Promise.all(runs)).map(([row]) => row?.pid)).size).toBeLessThanOrEqual(2);
  await close();
});

describe("an unreachable server", () => {
  test.each([
    ["with a wrong password", { password: "wrong" }, { code: "28P01" }],
    ["with a closed port", { port: "1" }, { code: "ECONNREFUSED" }],
    ["with an unknown database", { pathname: "/nowhere" }, { code: "3D000" }],
  ])("%s, rejects every statement with the reason", async (_, change, reason) => {
    const other = Object.assign(new URL(url), change);
    const { db, kysely, close } = openPostgres({
      url: other.href,
      observer: { onIdleError: () => expect.unreachable() },
    });
    for (let run = 0; run < 3; run++) {
      const calls = [
        echo(db, { value: "" }),
        put(db, { id: 1, name: "" }),
        sql`select 1`.execute(kysely),
        echo(db, { value: "" }),
      ];
      for (const result of await Promise.allSettled(calls))
        expect(result).toMatchObject({ status: "rejected", reason });
    }
    await close();
  });

  test("gets at most ten connection attempts a second for any number of statements", async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { db, close } = openPostgres({ url: `postgres://u:p@127.0.0.1:${port}/d` });
    const start = performance.now();
    for (let run = 0; run < 5; run++) {
      const calls = Array.from({ length: 100 }, () => echo(db, { value: "" }));
      const unavailable = { status: "rejected", reason: expect.toSatisfy(isDatabaseUnavailable) };
      for (const result of await Promise.allSettled(calls)) expect(result).toMatchObject(unavailable);
    }
    expect(attempts).toBeLessThanOrEqual(1 + (performance.now() - start) / 100);
    await close();
    server.close();
  });
});
