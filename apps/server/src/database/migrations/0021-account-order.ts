import { type Kysely, sql } from "kysely";

/**
 * Adds an index of the handles that are ids, one of each account. On a Citus cluster every server has the handles, and lists the ids of a
 * page without the servers of the accounts.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create index account_handles_by_id on account_handles (account_id)
    where handle = (account_id::text collate "C")`.execute(db);
}
