import { type Kysely, sql } from "kysely";
import type { Schema } from "./tables/schema.js";

/** The names of the applied migrations, oldest first; empty if the database has no schema yet. */
export async function findAppliedMigrations(db: Kysely<Schema>): Promise<readonly string[]> {
  const { rows: found } = await sql<{ table: string | null }>`
    select to_regclass('kysely_migration')::text as table`.execute(db);
  if (found[0]?.table == null) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name collate "C"`.execute(db);
  return rows.map(({ name }) => name);
}
