import { type Kysely, sql } from "kysely";

/** Adds indexes that find the pools of a property, the numbers in a state, and the oldest changes to the call trackers of an account. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create index pools_of_property on pools (account_id, property_token) where property_token is not null`.execute(db);
  await sql`
    create index tracking_numbers_by_state on tracking_numbers (state, phone_number) where area_code is not null`.execute(
    db,
  );
  await sql`create index call_tracker_changes_by_time on call_tracker_changes (account_id, occurred_at)`.execute(db);
}
