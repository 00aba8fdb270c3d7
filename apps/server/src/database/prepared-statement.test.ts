import { KyselyExecutor } from "@calltrack/postgres";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { findAccountByHandle } from "../access/account-directory.js";
import { findAccount, insertAccount } from "../api/accounts/account-repository.js";
import { TEST_ORIGIN } from "../testing/credentials.js";
import { createTestDatabase } from "../testing/test-database.js";
import { migrateToLatest } from "./migrate.js";
import { openDatabase } from "./open-database.js";

test("each connection parses a statement once, whatever its values", async () => {
  const database = openDatabase(await createTestDatabase("postgres"));
  await migrateToLatest(database.kysely);
  await database.kysely.transaction().execute(async (kysely) => {
    const connection = new KyselyExecutor(kysely);
    const account = await insertAccount(connection, "one", TEST_ORIGIN);
    await insertAccount(connection, "two", TEST_ORIGIN);
    for (let count = 0; count < 10; count++) {
      await findAccount(connection, account?.id ?? 0);
      await findAccountByHandle(connection, `nobody ${count}`);
    }
    const { rows } = await sql<{ statement: string; name: string; runs: number }>`
      select name, statement, (generic_plans + custom_plans)::int as runs from pg_prepared_statements
      where statement not like '%pg_prepared_statements%' order by statement`.execute(kysely);
    const runs = (text: RegExp) => rows.filter(({ statement }) => text.test(statement)).map((row) => row.runs);
    expect(runs(/^select .* from "accounts" where "id" = \$1$/)).toEqual([10]);
    expect(runs(/^select .* from "account_handles" where "handle" = \$1$/)).toEqual([10]);
    expect(runs(/^with "account" as \(insert into "accounts"/)).toEqual([2]);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });
  await database.close();
});
