import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { createTestDatabase, dropTestDatabase } from "../../testing/test-database.js";
import { openDatabase } from "../open-database.js";
import { checkpointIfDue, MAX_WAL_FILES } from "./embedded-checkpoints.js";

const location = await createTestDatabase("embedded");
const database = openDatabase(location);

afterAll(async () => {
  await database.close();
  await dropTestDatabase("embedded", location);
});

async function countWalFiles(): Promise<number> {
  const { rows } = await sql<{ files: number }>`select count(*)::integer as files from pg_ls_waldir()`.execute(
    database.kysely,
  );
  return rows[0]?.files ?? 0;
}

test("the size of the embedded database's write-ahead log stays bounded", async () => {
  for (let round = 0; round < 2; round++) {
    while ((await countWalFiles()) < MAX_WAL_FILES) {
      await checkpointIfDue(database.kysely);
      await sql`select pg_logical_emit_message(false, '', repeat('x', 8000000), true)`.execute(database.kysely);
    }
    await checkpointIfDue(database.kysely);
    expect(await countWalFiles()).toBeLessThanOrEqual(MAX_WAL_FILES / 2 + 1);
  }
});
