import { type Kysely, sql } from "kysely";

/** Adds the source aliases of accounts. Servers of the previous version ignore the aliases when they count visits. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table accounts
    add column source_aliases jsonb not null default '[]',
    add column source_aliases_updated_at timestamptz(3)`.execute(db);
}
