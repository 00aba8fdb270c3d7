import { type Kysely, sql } from "kysely";

/** Indexes visit days by day and account, so that a query for an account's visits on one day reads no other days. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`drop index visit_days_by_day`.execute(db);
  await sql`create index visit_days_by_day on visit_days (day, account_id)`.execute(db);
}
