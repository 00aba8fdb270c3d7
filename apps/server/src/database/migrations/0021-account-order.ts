import { type Kysely, sql } from "kysely";

/**
 * Adds an index on the handles that are account ids, one per account. On a Citus cluster, every server has a copy of all handles. The coordinator
 * can therefore list the account ids of a page without querying the workers.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create index account_handles_by_id on account_handles (account_id)
    where handle = (account_id::text collate "C")`.execute(db);
}
