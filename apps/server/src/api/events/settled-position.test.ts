import type { CompiledStatement, Executor } from "@calltrack/postgres";
import { expect, test } from "vitest";
import { connectToPostgres } from "../../testing/pg-client.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { serveDatabase } from "../../testing/test-server.js";
import { SettledPosition } from "./settled-position.js";

const INSERT = "insert into events (account_id, type) values (0, 'account.updated')";

test("a late answer does not hide a transaction that began after its reading", async () => {
  const location = await createTestDatabase("postgres");
  const server = await serveDatabase(location, { managesPools: false });
  const { db } = server.database;
  const arrival = Promise.withResolvers<void>();
  let readings = 0;
  const late: Executor = {
    transaction: (work) => db.transaction(work),
    async run<R>(statement: CompiledStatement, values: readonly unknown[]): Promise<R[]> {
      const rows = await db.run<R>(statement, values);
      if (++readings === 1) await arrival.promise;
      return rows;
    },
  };
  const settled = new SettledPosition({ db: late, isDistributed: false });
  const first = settled.poll();
  await expect.poll(() => readings).toBe(1);
  const client = await connectToPostgres(location.url);
  await client.query("begin");
  await client.query(INSERT);
  await client.query(INSERT);
  await settled.poll();
  arrival.resolve();
  await first;
  expect(settled.known).toBe(0n);
  await client.query("commit");
  await settled.poll();
  expect(settled.known).toBe(2n);
  await client.end();
  await server.stop();
});
