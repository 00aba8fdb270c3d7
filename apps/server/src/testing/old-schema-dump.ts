import { sql } from "kysely";
import { lockMigrations, migrateWithin } from "../database/migrate.js";
import { openDatabase } from "../database/open-database.js";
import { dumpTo } from "./dump-source.js";
import { createEmptyDatabase } from "./test-database.js";

/** Writes a dump of a database with the schema of an old release, in which the account 7 has registered a number. */
export async function writeOldDump(file: string): Promise<void> {
  const location = await createEmptyDatabase("postgres");
  if (location.kind !== "postgres") throw new Error("not a PostgreSQL server");
  const { kysely, close } = openDatabase(location);
  await kysely.transaction().execute(async (transaction) => {
    await lockMigrations(transaction);
    await migrateWithin(transaction, "0003-pass-leases");
    await sql`insert into accounts (id, account_token) values (7, 'old')`.execute(transaction);
    await sql`
      insert into account_handles (handle, account_id, account_token) values ('old', 7, 'old'), ('7', 7, 'old')`.execute(
      transaction,
    );
    await sql`insert into phone_numbers (account_id, phone_number) values (7, '+15550001111')`.execute(transaction);
  });
  await close();
  await dumpTo(file, { environment: { DATABASE_URL: location.url }, [Symbol.asyncDispose]: async () => {} });
}
