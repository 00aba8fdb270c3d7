import { type Kysely, sql } from "kysely";

/**
 * Adds indexes for the filters of the list of accounts. Tokens have the collation "C": `lower` changes only the letters A to Z, and the tokens
 * with a common prefix are a range of the index. The filter for disabled accounts needs an index, because few accounts are disabled.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index accounts_by_folded_token on accounts (lower(account_token), id)`.execute(db);
  await sql`create index accounts_disabled on accounts (id) where not is_active`.execute(db);
}
