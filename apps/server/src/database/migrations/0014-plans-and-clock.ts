import { type Kysely, sql } from "kysely";
import { isDistributed } from "../distribution/is-distributed.js";

/** Makes the planner expect large accounts and run `uuid_v7()` without parallelism, and makes a real clock ignore the time of a virtual one. */
export async function up(db: Kysely<never>): Promise<void> {
  await expectLargeAccounts(db);
  await sql`alter function uuid_v7() parallel unsafe`.execute(db);
  await makeClockReal(db);
}

/** The tables whose rows are found by an account and a second key. */
const TABLES = [
  ...["phone_numbers", "pools", "pool_passes", "call_trackers", "call_tracker_changes", "call_flows", "calls"],
  ...["visit_days", "visit_counts", "visit_events", "idempotency_keys", "audit_entries"],
];

/**
 * Makes the planner expect the largest account. A prepared statement has one plan for all accounts. By default, it suits the average account,
 * where reading all rows is as fast as reading one. For an account with 20,000 pools among many small accounts, that plan reads all rows of
 * the account for each pool.
 */
async function expectLargeAccounts(db: Kysely<never>): Promise<void> {
  // Citus does not support this option, and plans each statement for its own account.
  if (await isDistributed(db)) return;
  for (const table of TABLES.map((name) => sql.table(name))) {
    await sql`alter table ${table} alter column account_id set (n_distinct = 1)`.execute(db);
    const { rows } = await sql`select from ${table} limit 1`.execute(db);
    // The planner expects an analyzed table without rows to remain empty.
    if (rows.length > 0) await sql`analyze ${table} (account_id)`.execute(db);
  }
}

/** The column is true until a server starts, because earlier releases always applied the advance. */
async function makeClockReal(db: Kysely<never>): Promise<void> {
  await sql`alter table clock add column is_applied boolean not null default true`.execute(db);
  await sql`
    create or replace function clock_now() returns timestamptz language sql stable parallel safe
    as $$
      select date_trunc('milliseconds', now() + (select case when is_applied then advanced else '0' end from clock))
    $$`.execute(db);
}
