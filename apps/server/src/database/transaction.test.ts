import { setImmediate } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, ENGINES } from "../testing/test-database.js";
import { type Database, openDatabase } from "./open-database.js";

describe.each(ENGINES)("transactions on the %s engine", (engine) => {
  let database: Database;
  let db: Kysely<{ entries: { name: string } }>;

  beforeAll(async () => {
    database = openDatabase(await createTestDatabase(engine));
    db = database.kysely as never;
    await sql`create table entries (name text not null)`.execute(db);
  });

  beforeEach(() => sql`truncate entries`.execute(db));

  afterAll(() => database.close());

  async function names(): Promise<string[]> {
    return (await db.selectFrom("entries").select("name").orderBy("name").execute()).map(({ name }) => name);
  }

  test("a statement outside a concurrent transaction is kept when the transaction rolls back", async () => {
    const transaction = await db.startTransaction().execute();
    await transaction.insertInto("entries").values({ name: "within" }).execute();
    const beside = db.insertInto("entries").values({ name: "beside" }).execute();
    await transaction.insertInto("entries").values({ name: "within too" }).execute();
    await transaction.rollback().execute();
    await beside;
    expect(await names()).toEqual(["beside"]);
  });

  test("a statement outside a concurrent failed transaction succeeds", async () => {
    const failing = db.transaction().execute(async (transaction) => {
      await sql`select 1 / 0`.execute(transaction);
    });
    const beside = db.insertInto("entries").values({ name: "beside" }).execute();
    await expect(failing).rejects.toThrow("division by zero");
    await beside;
    expect(await names()).toEqual(["beside"]);
  });

  test("concurrent transactions are isolated", async () => {
    const count = sql<{ count: number }>`select count(*)::int as count from entries`;
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        db
          .transaction()
          .setIsolationLevel("repeatable read")
          .execute(async (transaction) => {
            const before = (await count.execute(transaction)).rows[0]?.count ?? 0;
            await transaction
              .insertInto("entries")
              .values({ name: `${index} a` })
              .execute();
            await transaction
              .insertInto("entries")
              .values({ name: `${index} b` })
              .execute();
            expect((await count.execute(transaction)).rows[0]?.count).toBe(before + 2);
            if (index % 2 === 1) throw new Error("not this one");
          })
          .catch((error: Error) => expect(error.message).toBe("not this one")),
      ),
    );
    expect(await names()).toEqual([0, 2, 4, 6, 8].flatMap((index) => [`${index} a`, `${index} b`]));
  });

  test("closing waits for running and queued statements", async () => {
    const closing = openDatabase(await createTestDatabase(engine));
    await closing.ping();
    const statements = [1, 2, 3].map((n) => sql<{ n: number }>`select ${n}::int as n`.execute(closing.kysely));
    await setImmediate();
    await closing.close();
    expect((await Promise.all(statements)).map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
  });
});
