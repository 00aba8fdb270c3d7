import { CompiledQuery } from "kysely";
import pg from "pg";
import { expect, test } from "vitest";
import type { CompiledStatement } from "./compiled-statement.js";
import { Pipeline } from "./pipeline.js";
import { PipelineConnection } from "./pipeline-connection.js";
import { Reachability } from "./reachability.js";
import { createDatabase } from "./testing/test-database.js";

const NAME = "test-pipeline-open-test";

const SHAPE = { connections: 1, depth: 4, coalesces: true };

const SETTINGS = {
  url: "",
  prepare: true,
  options: undefined,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 0,
  needsPrimary: true,
};

test("replaces a connection that is lost while opening", async () => {
  const url = new URL(await createDatabase());
  const outside = new pg.Client({ connectionString: url.href });
  await outside.connect();
  url.searchParams.set("application_name", NAME);
  let opened = 0;
  const pipeline = new Pipeline(
    SHAPE,
    { ...SETTINGS, url: url.href },
    { onIdleError() {}, onReadOnly() {} },
    new Reachability(),
    async (...given) => {
      const connection = await PipelineConnection.open(...given);
      if (opened++ > 0) return connection;
      await outside.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [NAME]);
      await expect.poll(() => connection.isUsable).toBe(false);
      return connection;
    },
  );

  const { query, sql } = CompiledQuery.raw("select 1 as n");
  const statement: CompiledStatement = { query, sql, writes: false, batch: undefined };
  expect(await pipeline.run(statement, [], undefined)).toEqual([{ n: 1 }]);
  expect(opened).toBe(2);
  await pipeline.close();
  await outside.end();
});

test("rejects queued lookups at the timeout of other statements", async () => {
  const open = Promise.withResolvers<PipelineConnection>();
  const pipeline = new Pipeline(
    SHAPE,
    { ...SETTINGS, connectTimeoutMs: 1500 },
    { onIdleError() {}, onReadOnly() {} },
    new Reachability(),
    () => open.promise,
  );
  const { query, sql } = CompiledQuery.raw("select 1 as n");
  const batch: CompiledStatement = { query, sql, writes: false, batch: undefined };
  const statement: CompiledStatement = { ...batch, batch };
  // More lookups than fit into the statements that can wait at a time.
  const runs = Array.from({ length: 500 }, () => pipeline.run(statement, [], undefined));
  for (const run of await Promise.allSettled(runs)) {
    expect(run).toMatchObject({ reason: { message: "timed out waiting for a free database connection" } });
  }
  open.reject(new Error("too late"));
  await pipeline.close();
});
