import { type Kysely, sql } from "kysely";

/**
 * Keeps the end of a pass's lease apart from when its pool is due, so that what makes the pool due while it is managed is not
 * taken for the lease.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table pool_passes add column leased_until timestamptz(3)`.execute(db);
  await sql`drop index pool_passes_due`.execute(db);
  await sql`
    create index pool_passes_next on pool_passes ((coalesce(leased_until, due_at)))
    where coalesce(leased_until, due_at) < 'infinity'`.execute(db);
}
