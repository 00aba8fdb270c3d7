import { type Kysely, sql } from "kysely";

/**
 * Adds an index on the handle of each account that equals its account id. On a Citus cluster, every server has a copy of all handles. The coordinator
 * can therefore find the account ids on a page of accounts without querying the workers.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create index account_handles_by_id on account_handles (account_id)
    where handle = (account_id::text collate "C")`.execute(db);
}
