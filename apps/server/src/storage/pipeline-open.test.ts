import { CompiledQuery } from "kysely";
import pg from "pg";
import { expect, test } from "vitest";
import { createTestDatabase } from "../testing/test-database.js";
import { Outage } from "./outage.js";
import { Pipeline } from "./pipeline.js";
import { PipelineConnection } from "./pipeline-connection.js";
import { PreparedQuery } from "./prepared-query.js";

const NAME = "calltrack-pipeline-open-test";

test("a connection that is lost before it is handed over is replaced", async () => {
  const location = await createTestDatabase("postgres");
  if (location.kind !== "postgres") throw new Error("not a PostgreSQL server");
  const url = new URL(location.url);
  const outside = new pg.Client({ connectionString: url.href });
  await outside.connect();
  url.searchParams.set("application_name", NAME);
  const settings = {
    url: url.href,
    prepare: true,
    options: undefined,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
    needsPrimary: true,
  };
  let opened = 0;
  const pipeline = new Pipeline(
    { connections: 1, depth: 4, folds: true, waitTimeoutMs: 10_000, statementTimeoutMs: 0 },
    async (listener) => {
      const connection = await PipelineConnection.open(settings, listener);
      if (opened++ > 0) return connection;
      await outside.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [NAME]);
      await expect.poll(() => connection.isUsable).toBe(false);
      return connection;
    },
    { onIdleError() {}, onReadOnly() {} },
    new Outage(),
  );

  const { query, sql } = CompiledQuery.raw("select 1 as n");
  expect(await pipeline.run(new PreparedQuery({ query, sql, writes: false, folded: undefined }, []))).toMatchObject({
    rows: [{ n: 1 }],
  });
  expect(opened).toBe(2);
  await pipeline.close();
  await outside.end();
});

test("look-ups that wait to share a statement wait no longer for a connection than others", async () => {
  const open = Promise.withResolvers<PipelineConnection>();
  const waitTimeoutMs = 1500;
  const pipeline = new Pipeline(
    { connections: 1, depth: 4, folds: true, waitTimeoutMs, statementTimeoutMs: 0 },
    () => open.promise,
    { onIdleError() {}, onReadOnly() {} },
    new Outage(),
  );
  const { query, sql } = CompiledQuery.raw("select 1 as n");
  const text = { query, sql, writes: false, folded: sql };
  // Hundreds, of which no more than some dozens at a time are those of a statement that waits.
  const runs = Array.from({ length: 500 }, () => pipeline.run(new PreparedQuery(text, [])));
  for (const run of await Promise.allSettled(runs)) {
    expect(run).toMatchObject({ reason: { message: "no database connection became free in time" } });
  }
  open.reject(new Error("too late"));
  await pipeline.close();
});
