import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { openPostgres } from "./open-postgres.js";
import { isDatabaseUnavailable } from "./postgres-error.js";
import { createStatementFactory } from "./prepared-statement.js";
import { startPostgresNode } from "./testing/postgres-node.js";

const { prepareStatement } = createStatementFactory<unknown>();

const echo = prepareStatement<{ value: string }, { value: string }>((db, parameter) =>
  db.selectNoFrom(sql<string>`${parameter("value")}::text`.as("value")),
);

const sleep = prepareStatement((db) => db.selectNoFrom(sql`pg_sleep(20)`.as("slept")));

test("rejects only the statements in progress when the server restarts", async () => {
  const server = await startPostgresNode();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { db, close } = openPostgres({ url: server.url });
  onTestFinished(close);
  expect(await echo(db, { value: "before" })).toEqual([{ value: "before" }]);
  const transaction = db.transaction((trx) => sleep(trx, {}));
  const running = Promise.allSettled([sleep(db, {}), sleep(db, {}), echo(db, { value: "behind" }), transaction]);
  await server.stop();
  const [first, second, , fourth] = await running;
  const down = await Promise.allSettled(Array.from({ length: 20 }, () => echo(db, { value: "down" })));
  for (const result of [first, second, fourth, ...down]) {
    expect(result).toMatchObject({ status: "rejected", reason: expect.toSatisfy(isDatabaseUnavailable) });
  }
  await server.start();
  const after = Array.from({ length: 100 }, (_, n) => echo(db, { value: String(n) }));
  expect(await Promise.all(after)).toEqual(Array.from({ length: 100 }, (_, n) => [{ value: String(n) }]));
});
