import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/tables/schema.js";

/**
 * Counts the statements in a database that wait for a lock. Within a transaction, the count stays the same until
 * `pg_stat_clear_snapshot()` is called.
 */
export async function countWaitingStatements(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::integer as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows[0]?.waiting ?? 0;
}
