import { type Kysely, sql } from "kysely";

/**
 * Adds indexes for the filters of the list of accounts. Tokens have the collation "C", in which `lower` changes only the letters A to Z, and a
 * prefix is a range. Few accounts are disabled, so only they need an index.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index accounts_by_folded_token on accounts (lower(account_token), id)`.execute(db);
  await sql`create index accounts_disabled on accounts (id) where not is_active`.execute(db);
}
