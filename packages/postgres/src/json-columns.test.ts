import { sql } from "kysely";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { ColumnJsonTypes } from "./json-columns.js";
import { createStatementFactory } from "./prepared-statement.js";
import { createDatabase, openDatabase } from "./testing/test-database.js";

const { prepareList, listStatements } = createStatementFactory<unknown>();

const database = openDatabase({ url: await createDatabase(), sessionSettings: { TimeZone: "Asia/Kolkata" } });

test("values have the types of single rows", async () => {
  interface Row {
    readonly big: string;
    readonly exact: string;
    readonly float: number;
    readonly none: string | null;
    readonly never: Date | null;
    readonly yes: boolean;
    readonly list: readonly string[];
    readonly json: unknown;
    readonly text: string;
  }
  const read = prepareList<object, Row>(
    {
      big: "text",
      exact: "text",
      float: "value",
      none: "text",
      never: "time",
      yes: "value",
      list: "value",
      json: "value",
      text: "text",
    },
    (db) =>
      db.selectNoFrom([
        sql<string>`9007199254740993::bigint`.as("big"),
        sql<string>`1.50::numeric`.as("exact"),
        sql<number>`0.1::float8 + 0.2::float8`.as("float"),
        sql<null>`null::text`.as("none"),
        sql<null>`null::timestamptz`.as("never"),
        sql<boolean>`true`.as("yes"),
        sql<string[]>`array['a', '"b"']`.as("list"),
        sql<unknown>`'{"a": [null]}'::jsonb`.as("json"),
        sql<string>`E'"quoted" \\\\ \\n \\u0001 \\u2028 \\U0001F600'`.as("text"),
      ]),
  );
  expect(await read(database.db, {})).toEqual([
    {
      big: "9007199254740993",
      exact: "1.50",
      float: 0.1 + 0.2,
      none: null,
      never: null,
      yes: true,
      list: ["a", '"b"'],
      json: { a: [null] },
      text: '"quoted" \\ \n \u0001 \u2028 😀',
    },
  ]);
});

test.each([
  ["2026-11-20 21:01:15.933499+00", "2026-11-20T21:01:15.933Z"],
  ["1969-12-31 23:59:59.999499+00", "1969-12-31T23:59:59.999Z"],
  ["2026-11-20 21:01:15.9335+00", "2026-11-20T21:01:15.934Z"],
  ["2026-11-20 21:01:15+05:30", "2026-11-20T15:31:15.000Z"],
  ["9999-12-31 00:00:00.001+00", "9999-12-31T00:00:00.001Z"],
  ["10000-01-01 00:00:00+00", "+010000-01-01T00:00:00.000Z"],
  ["0044-03-15 00:00:00+00 BC", "-000043-03-15T00:00:00.000Z"],
])("reads the time %s in a session with an offset", async (given, expected) => {
  expect((await readTimes([given])).map((at) => at.toISOString())).toEqual([expected]);
});

test.each(["infinity", "-infinity"])("the time %s is invalid", async (given) => {
  expect((await readTimes([given])).map((at) => at.getTime())).toEqual([Number.NaN]);
});

async function readTimes(given: readonly string[]): Promise<Date[]> {
  const rows = await listTimes(database.db, { given });
  return rows.map(({ at }) => at);
}

const listTimes = prepareList<{ given: readonly string[] }, { at: Date }>({ at: "time" }, (db, parameter) =>
  db
    .selectFrom(sql<{ at: Date }>`unnest(${parameter("given")}::timestamptz[])`.as(sql`given(at)`))
    .select(sql<Date>`at`.as("at")),
);

describe.each([
  ["alone", undefined],
  ["in a shared statement", { count: "integer" }],
] as const)("a list that runs %s", (_, types) => {
  test("keeps the order of any number of rows", async () => {
    const list = prepareList<{ count: number }, { n: number }>(
      { n: "value" },
      (db, parameter) =>
        db
          .selectFrom(sql<{ n: number }>`generate_series(1, ${parameter("count")}::integer)`.as(sql`numbers(n)`))
          .select(sql<number>`n`.as("n"))
          .orderBy(sql`n % 7`, "desc")
          .orderBy(sql`n`, "desc"),
      types,
    );
    const counts = [3, 0, 1, 1000, 0, 20];
    const lists = await Promise.all(counts.map((count) => list(database.db, { count })));
    const expected = counts.map((count) => {
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      return numbers.toSorted((a, b) => (b % 7) - (a % 7) || b - a);
    });
    expect(lists.map((rows) => rows.map(({ n }) => n))).toEqual(expected);
  });
});

test("is a read, except in a transaction", async () => {
  expect(listStatements().map(({ writes }) => writes)).not.toContain(true);
  expect(await database.db.transaction((transaction) => listTimes(transaction, { given: [] }))).toEqual([]);
});

test("the type of a column follows from its values", () => {
  expectTypeOf<ColumnJsonTypes<{ at: Date | null; name: string | null; size: number; yes: boolean }>>().toEqualTypeOf<{
    readonly at: "time";
    readonly name: "text";
    readonly size: "value";
    readonly yes: "value";
  }>();
  expectTypeOf<ColumnJsonTypes<{ bytes: Buffer }>>().toEqualTypeOf<{ readonly bytes: never }>();
});
