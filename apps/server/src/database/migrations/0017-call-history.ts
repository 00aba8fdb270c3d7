import { type Kysely, sql } from "kysely";

/**
 * Adds calls from the time before Calltrack. No call tracker had their number, so they have neither pool nor call tracker. Servers of the version
 * before record none of them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table calls add column is_imported boolean not null default false`.execute(db);
  // A distributed table takes one command at a time.
  for (const column of ["pool_id", "call_tracker_id", "tracker_status"]) {
    await sql`alter table calls alter column ${sql.ref(column)} drop not null`.execute(db);
  }
  // Existing calls satisfy it, so it need not read them.
  await sql`
    alter table calls
      add constraint calls_imported_have_no_pool check (
        is_imported = (pool_id is null) and is_imported = (call_tracker_id is null) and is_imported = (tracker_status is null)
      ) not valid`.execute(db);
}
