import { type Kysely, sql } from "kysely";

/** Finds the days of an account by the day too, without a look at all others that it has. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`drop index visit_days_by_day`.execute(db);
  await sql`create index visit_days_by_day on visit_days (day, account_id)`.execute(db);
}
