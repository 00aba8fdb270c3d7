import { type Kysely, sql } from "kysely";

/**
 * Adds an index on the handles that are ids, one per account. On a Citus cluster, every server has all handles, and can list the ids of a
 * page without querying the workers of the accounts.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create index account_handles_by_id on account_handles (account_id)
    where handle = (account_id::text collate "C")`.execute(db);
}
