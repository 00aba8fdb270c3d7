import { type Kysely, sql } from "kysely";

/**
 * Adds a mark for call trackers whose numbers are being retired. A retiring call tracker keeps its source while another call tracker replaces it. A
 * source may therefore have several call trackers. At most one of them is active, and at most one of them is not retiring.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table tracking_numbers add column retires_immediately boolean not null default false`.execute(db);
  await sql`
    alter table call_trackers
      add column retirement text,
      add constraint call_trackers_retirement_is_known check (retirement in ('gradual', 'immediate'))`.execute(db);
  await markRetiring(db);
  await sql`drop index call_trackers_source_holds_one`.execute(db);
  await sql`
    create unique index call_trackers_source_holds_one on call_trackers (account_id, pool_id, source, medium)
    where source is not null and retirement is null`.execute(db);
  await sql`
    create unique index call_trackers_source_has_one_active on call_trackers (account_id, pool_id, source, medium)
    where source is not null and status = 'active'`.execute(db);
}

/** Marks the call trackers whose numbers are already retiring, and makes the pools of these call trackers due for a pass. */
async function markRetiring(db: Kysely<never>): Promise<void> {
  await sql`
    with number as materialized (
      select account_id, pool_id, call_tracker_id from tracking_numbers where state = 'retiring'
    )
    update call_trackers as tracker set retirement = 'gradual' from number
    where tracker.account_id = number.account_id and tracker.pool_id = number.pool_id
      and tracker.id = number.call_tracker_id`.execute(db);
  await sql`
    with retiring as materialized (select account_id, pool_id from call_trackers where retirement is not null)
    update pool_passes as pass set due_at = least(pass.due_at, now()) from retiring
    where pass.account_id = retiring.account_id and pass.pool_id = retiring.pool_id`.execute(db);
}
