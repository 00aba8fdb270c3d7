import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { KyselyExecutor } from "./kysely-executor.js";
import { openPostgres } from "./open-postgres.js";
import { isDatabaseUnavailable } from "./postgres-error.js";
import { createStatementFactory } from "./prepared-statement.js";
import { connect, createDatabase, openDatabase } from "./testing/test-database.js";

const { prepareLookup, prepareStatement } = createStatementFactory<unknown>();

const url = await createDatabase();
const outside = await connect(url);
await outside.query("create table words (owner int, word text, meaning text, primary key (owner, word))");

const find = prepareLookup<{ owner: number; word: string | null }, { meaning: string }>(
  { owner: "integer", word: "text" },
  (db, parameter) =>
    db
      .selectFrom(sql<{ meaning: string }>`words`.as("words"))
      .select("meaning")
      .where(sql<boolean>`owner = ${parameter("owner")}`)
      .where(sql<boolean>`word = ${parameter("word")}`),
);

const invert = prepareLookup<{ divisor: number }, { quotient: number }>({ divisor: "integer" }, (db, parameter) =>
  db.selectNoFrom(sql<number>`12 / ${parameter("divisor")}`.as("quotient")),
);

const sleep = prepareStatement((db) => db.selectNoFrom(sql`pg_sleep(20)`.as("slept")));

/** Returns the id of the transaction that runs the lookup. Runs that share a statement get the same id. */
const findTransaction = prepareLookup<{ n: number }, { id: string }>({ n: "integer" }, (db, parameter) =>
  db.selectNoFrom([sql<string>`pg_current_xact_id()::text`.as("id"), sql`${parameter("n")}`.as("n")]),
);

const UNAVAILABLE = { status: "rejected", reason: expect.toSatisfy(isDatabaseUnavailable) };

const WORDS = ["plain", "", " ", '"quoted"', "back\\slash", "{a,b}", "NULL", "né 😀", "line\nbreak", "x".repeat(5000)];

describe.each([
  ["with prepared statements", true],
  ["without", false],
])("concurrent runs of a lookup, %s", (_, prepare) => {
  const database = openDatabase({ url, prepare });
  beforeAll(async () => {
    await outside.query("truncate words");
    for (const word of WORDS) await outside.query("insert into words values (1, $1, 'meaning of ' || $1)", [word]);
    await outside.query("insert into words values (2, 'plain', null)");
  });

  test("find the same rows as single runs, for any keys", async () => {
    const keys = [
      ...WORDS.map((word) => ({ owner: 1, word })),
      ...WORDS.map((word) => ({ owner: 2, word })),
      { owner: 1, word: null },
      { owner: 1, word: "plain" },
    ];
    const alone = [];
    for (const key of keys) alone.push(await find(database.db, key));
    expect(alone.filter((rows) => rows.length > 0)).toHaveLength(WORDS.length + 2);
    for (let run = 0; run < 3; run++) {
      const together = await Promise.all([...keys, ...keys, ...keys].map((key) => find(database.db, key)));
      const meanings = together.map((rows) => rows.map(({ meaning }) => meaning));
      const expected = alone.map((rows) => rows.map(({ meaning }) => meaning));
      expect(meanings).toEqual([...expected, ...expected, ...expected]);
    }
  });

  test("share statements", async () => {
    const runs = Array.from({ length: 320 }, (_, n) => findTransaction(database.db, { n }));
    const transactions = new Set((await Promise.all(runs)).map(([row]) => row?.id));
    expect(transactions.size).toBeLessThanOrEqual(20);
  });

  test("fail alone, while all others get their rows", async () => {
    const results = await Promise.allSettled(
      [1, 2, 0, 4, 0, 6].map((divisor) => invert(database.db, { divisor }).then(([row]) => row?.quotient)),
    );
    expect(results).toMatchObject([
      { value: 12 },
      { value: 6 },
      { reason: { code: "22012" } },
      { value: 3 },
      { reason: { code: "22012" } },
      { value: 2 },
    ]);
  });

  test("fail together when the connection is lost", async () => {
    const slow = prepareLookup<{ seconds: number }, { slept: unknown }>({ seconds: "integer" }, (db, parameter) =>
      db.selectNoFrom(sql`pg_sleep(${parameter("seconds")})`.as("slept")),
    );
    const runs = Promise.allSettled([20, 20, 20].map((seconds) => slow(database.db, { seconds })));
    await terminateSleepers(runs);
    for (const result of await runs) expect(result).toMatchObject(UNAVAILABLE);
  });

  test("fail together if no connection becomes free in time", async () => {
    const small = openPostgres({ url, prepare, maxReads: 1, connectTimeoutMs: 1000 });
    const slow = Promise.allSettled([sleep(small.db, {})]);
    await expect.poll(async () => (await outside.query(SLEEPERS)).rows.length).toBe(1);
    // More lookups than fit into the batches in progress.
    const runs = Array.from({ length: 500 }, (_, n) => find(small.db, { owner: n, word: "plain" }));
    for (const result of await Promise.allSettled(runs)) expect(result).toMatchObject(UNAVAILABLE);
    await terminateSleepers(slow);
    await small.close();
  });

  test("run in the transaction that they are called on", async () => {
    await database.kysely.transaction().execute(async (kysely) => {
      const transaction = new KyselyExecutor(kysely);
      await sql`insert into words values (3, 'mine', 'seen')`.execute(kysely);
      const found = await Promise.all([1, 2].map(() => find(transaction, { owner: 3, word: "mine" })));
      expect(found).toEqual([[{ meaning: "seen" }], [{ meaning: "seen" }]]);
      expect(await find(database.db, { owner: 3, word: "mine" })).toEqual([]);
      await sql`delete from words where owner = 3`.execute(kysely);
    });
  });
});

const SLEEPERS = `
  select pid from pg_stat_activity
  where datname = current_database() and query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()`;

/** Terminates sleeping sessions until all runs have failed. Reads are retried, so each of their connections must be lost. */
async function terminateSleepers(runs: Promise<unknown>): Promise<void> {
  let isOver = false;
  void runs.then(() => {
    isOver = true;
  });
  while (!isOver) await outside.query(`select pg_terminate_backend(pid) from (${SLEEPERS}) as sleepers`);
}
