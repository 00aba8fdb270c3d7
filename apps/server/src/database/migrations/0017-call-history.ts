import { type Kysely, sql } from "kysely";

/**
 * Lets the database store calls from before an account used Calltrack. No call tracker held the numbers of such calls, so they have neither a
 * pool nor a call tracker. Servers of the previous version record no such calls.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table calls add column is_imported boolean not null default false`.execute(db);
  // One statement per column, because Citus accepts only one `drop not null` in a statement.
  for (const column of ["pool_id", "call_tracker_id", "tracker_status"]) {
    await sql`alter table calls alter column ${sql.ref(column)} drop not null`.execute(db);
  }
  // `not valid` skips checking the existing calls, which satisfy the constraint.
  await sql`
    alter table calls
      add constraint calls_imported_have_no_pool check (
        is_imported = (pool_id is null) and is_imported = (call_tracker_id is null) and is_imported = (tracker_status is null)
      ) not valid`.execute(db);
}
