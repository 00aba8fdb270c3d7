import { type Kysely, sql } from "kysely";

/**
 * Adds the outcomes `unknown` and `abandoned`, and the attestation of the caller's number. The new outcomes are in a separate column, because servers
 * of the previous version must read them as `missed`.
 *
 * From this migration on, a completed call may have no end, and a call with an end may have no duration. Calls that the timer for overdue calls
 * closed lose their end and their duration, because nobody reported them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table calls add column outcome_detail text, add column caller_attestation text`.execute(db);
  // A separate command, because Citus cannot add a column and its constraint to a distributed table in one command.
  await sql`
    alter table calls
      add constraint calls_outcome_detail_is_known check (outcome_detail in ('abandoned', 'unknown'))`.execute(db);
  await sql`alter table calls drop constraint calls_duration_is_of_ended`.execute(db);
  await sql`
    alter table calls
      add constraint calls_duration_is_of_ended check (duration_seconds is null or ended_at is not null)`.execute(db);
  await sql`
    update calls set ended_at = null, duration_seconds = null,
      outcome_detail = case when outcome = 'missed' then 'unknown' end
    where outcome_basis = 'timer'`.execute(db);
  // Keeps the index calls_in_progress for servers of the previous version, which set an end on the calls that they close.
  await sql`
    create index calls_to_close on calls (started_at)
    where phone_system_id is not null
      and (outcome = 'in_progress' or outcome_basis = 'timer' and ended_at is not null)`.execute(db);
}
