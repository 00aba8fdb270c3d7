import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { createBatcher } from "./create-batcher.js";
import { createStatementFactory } from "./prepared-statement.js";
import { findStatementContext, runTraced, runWithDeadline, runWithoutDeadline } from "./statement-context.js";
import { createDatabase, openDatabase } from "./testing/test-database.js";

const { prepareLookup, prepareStatement } = createStatementFactory<unknown>();

const double = prepareLookup<{ n: number }, { doubled: number }>({ n: "integer" }, (db, parameter) =>
  db.selectNoFrom(sql<number>`2 * ${parameter("n")}::integer`.as("doubled")),
);

const fail = prepareStatement((db) => db.selectNoFrom(sql<number>`1 / 0`.as("never")));

const database = openDatabase({ url: await createDatabase() });

/** Runs a request. Returns its result and the SQL of its statements, each with the SQLSTATE if it failed. */
async function traced<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly statements: string[] }> {
  const statements: string[] = [];
  const trace = (text: string, startedAt: number, error: unknown) => {
    expect(startedAt).toBeLessThanOrEqual(performance.now());
    statements.push(error === undefined ? text : `${(error as { code?: string }).code}: ${text}`);
  };
  return { result: await runTraced(trace, work), statements };
}

const ALONE = 'select 2 * $1::integer as "doubled"';

describe("a traced request", () => {
  test("includes only its own runs of a shared prepared statement", async () => {
    const calls = [1, 2, 3].map((n) => traced(() => double(database.db, { n })));
    for (const [index, { result, statements }] of (await Promise.all(calls)).entries()) {
      expect(result).toMatchObject([{ doubled: 2 * (index + 1) }]);
      expect(statements).toEqual([ALONE]);
    }
  });

  test("includes the statements of its transactions, and failed statements", async () => {
    const inTransaction = () => database.db.transaction((transaction) => double(transaction, { n: 1 }));
    expect((await traced(inTransaction)).statements).toContain(ALONE);
    const failing = () => fail(database.db, {}).catch((error: Error) => error.message);
    expect(await traced(failing)).toEqual({
      result: "division by zero",
      statements: ['22012: select 1 / 0 as "never"'],
    });
  });

  test("includes the statement of a shared batch, and no other", async () => {
    const doubleAll = createBatcher(
      async (numbers: readonly number[]) => {
        const rows = await Promise.all(numbers.map((n) => double(database.db, { n })));
        return rows.map(([row]) => row?.doubled);
      },
      { concurrency: 1, size: 2 },
    );
    const calls = [1, 2, 3].map((n) => traced(() => doubleAll(n)));
    expect(await Promise.all(calls)).toEqual([
      { result: 2, statements: [ALONE] },
      { result: 4, statements: [ALONE, ALONE] },
      { result: 6, statements: [ALONE, ALONE] },
    ]);
  });
});

describe("the deadline of a request", () => {
  test("does not apply to detached work or to a batch, which keep the trace of the request", async () => {
    const { signal } = new AbortController();
    const inBatch = createBatcher(async (items: readonly object[]) => items.map(findStatementContext), {
      concurrency: 1,
      size: 9,
    });
    const trace = () => {};
    await runTraced(trace, () =>
      runWithDeadline(signal, async () => {
        expect(findStatementContext()).toMatchObject({ deadline: { isAbandoned: false }, traces: [trace] });
        expect(runWithoutDeadline(findStatementContext)).toEqual({ deadline: undefined, traces: [trace] });
        expect(await inBatch({})).toEqual({ deadline: undefined, traces: [trace] });
      }),
    );
    await runWithDeadline(signal, async () => expect(runWithoutDeadline(findStatementContext)).toBeUndefined());
  });
});
