import { type Kysely, sql } from "kysely";

/**
 * Stores the end of a pass's lease separately from the time at which the pool is due. With one column for both, a change that makes the pool
 * due during a pass would be mistaken for the lease.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table pool_passes add column leased_until timestamptz(3)`.execute(db);
  await sql`drop index pool_passes_due`.execute(db);
  await sql`
    create index pool_passes_next on pool_passes ((coalesce(leased_until, due_at)))
    where coalesce(leased_until, due_at) < 'infinity'`.execute(db);
}
