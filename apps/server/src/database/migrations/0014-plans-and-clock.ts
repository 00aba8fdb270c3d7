import { type Kysely, sql } from "kysely";
import { isDatabaseDistributed } from "../distribution/is-database-distributed.js";

/** Makes the planner expect large accounts, excludes `uuid_v7()` from parallel plans, and lets a real clock ignore the advance of a virtual clock. */
export async function up(db: Kysely<never>): Promise<void> {
  await expectLargeAccounts(db);
  await sql`alter function uuid_v7() parallel unsafe`.execute(db);
  await makeClockReal(db);
}

/** The tables in which statements find rows by the account id and another column. */
const TABLES = [
  ...["phone_numbers", "pools", "pool_passes", "call_trackers", "call_tracker_changes", "call_flows", "calls"],
  ...["visit_days", "visit_counts", "visit_events", "idempotency_keys", "audit_entries"],
];

/**
 * Makes the planner expect that an account has many rows. A prepared statement has one plan for all accounts. By default, the plan suits the
 * average account, for which reading all rows is as fast as reading one row. For an account with 20,000 pools among many small accounts, such
 * a plan reads all rows of the account for each pool.
 */
async function expectLargeAccounts(db: Kysely<never>): Promise<void> {
  // Citus does not support `n_distinct`, and plans each execution for its account.
  if (await isDatabaseDistributed(db)) return;
  for (const table of TABLES.map((name) => sql.table(name))) {
    await sql`alter table ${table} alter column account_id set (n_distinct = 1)`.execute(db);
    const { rows } = await sql`select from ${table} limit 1`.execute(db);
    // Skips empty tables, because the planner expects an analyzed empty table to remain empty.
    if (rows.length > 0) await sql`analyze ${table} (account_id)`.execute(db);
  }
}

/** Adds the column that tells whether the clock is virtual. It is true until a server starts, because earlier releases always applied the advance. */
async function makeClockReal(db: Kysely<never>): Promise<void> {
  await sql`alter table clock add column is_applied boolean not null default true`.execute(db);
  await sql`
    create or replace function clock_now() returns timestamptz language sql stable parallel safe
    as $$
      select date_trunc('milliseconds', now() + (select case when is_applied then advanced else '0' end from clock))
    $$`.execute(db);
}
