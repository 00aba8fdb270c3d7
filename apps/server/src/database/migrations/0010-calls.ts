import { type Kysely, sql } from "kysely";

/** Creates calls, the history of the call trackers that held each number, and the key for hashes of callers' numbers. */
export async function up(db: Kysely<never>): Promise<void> {
  await createHolders(db);
  await createSettings(db);
  await createCalls(db);
  await sql`
    alter table api_keys
      drop constraint api_keys_scopes_are_known,
      add constraint api_keys_scopes_are_known
        check (cardinality(scopes) > 0 and scopes <@ array['read', 'write', 'admin', 'dni', 'calls'])`.execute(db);
}

/**
 * Creates the history of the call trackers that held each number. A call is attributed to the call tracker that held the dialed number when the call
 * started.
 */
async function createHolders(db: Kysely<never>): Promise<void> {
  await sql`
    create table tracking_number_holders (
      phone_number text collate "C" not null,
      held_from timestamptz(3) not null,
      call_tracker_id uuid not null,
      account_id integer not null,
      pool_id uuid not null,
      primary key (phone_number, held_from, call_tracker_id)
    )`.execute(db);
  await sql`
    insert into tracking_number_holders (phone_number, held_from, call_tracker_id, account_id, pool_id)
    select tracking_number, occurred_at, call_tracker_id, account_id, pool_id from call_tracker_changes
    where kind = 'added'
    on conflict do nothing`.execute(db);
  await sql`
    insert into tracking_number_holders (phone_number, held_from, call_tracker_id, account_id, pool_id)
    select phone_number, created_at, call_tracker_id, account_id, pool_id from tracking_numbers as number
    where call_tracker_id is not null and not exists (
      select from tracking_number_holders as holder
      where holder.phone_number = number.phone_number and holder.call_tracker_id = number.call_tracker_id
    )`.execute(db);
  await sql`drop index call_tracker_changes_by_call_tracker`.execute(db);
  await sql`
    create index call_tracker_changes_of_call_tracker on call_tracker_changes (account_id, call_tracker_id, id)`.execute(
    db,
  );
}

async function createSettings(db: Kysely<never>): Promise<void> {
  await sql`create table settings (name text collate "C" primary key, value bytea not null)`.execute(db);
  await sql`
    insert into settings (name, value)
    values ('caller_number_key', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())))`.execute(db);
}

async function createCalls(db: Kysely<never>): Promise<void> {
  await sql`
    create table calls (
      account_id integer not null,
      id uuid not null default uuid_v7(),
      call_id text collate "C" not null,
      tracking_number text collate "C" not null,
      caller_number text collate "C",
      caller_key uuid,
      started_at timestamptz(3) not null,
      is_start_sent boolean not null,
      answered_at timestamptz(3),
      ended_at timestamptz(3),
      duration_seconds integer,
      outcome text not null,
      recording_url text,
      pool_id uuid not null,
      call_tracker_id uuid not null,
      original_number text collate "C" not null,
      property_token text collate "C",
      source text collate "C",
      medium text collate "C",
      tracker_status text not null,
      is_first_call boolean,
      is_prompted boolean not null,
      is_recorded boolean not null,
      created_at timestamptz(3) not null default clock_now(),
      updated_at timestamptz(3) not null default clock_now(),
      primary key (account_id, id),
      foreign key (account_id, pool_id) references pools (account_id, id),
      constraint calls_call_id_is_unique unique (account_id, call_id),
      constraint calls_outcome_is_known
        check (outcome in ('in_progress', 'answered', 'missed', 'busy', 'failed', 'voicemail')),
      constraint calls_tracker_status_is_known check (tracker_status in ('available', 'active', 'flagged', 'released')),
      constraint calls_times_are_in_order
        check (answered_at >= started_at and ended_at >= coalesce(answered_at, started_at)),
      constraint calls_duration_is_of_ended check ((duration_seconds is null) = (ended_at is null)),
      constraint calls_caller_number_has_key check (caller_number is null or caller_key is not null),
      constraint calls_source_has_medium check ((source is null) = (medium is null))
    )`.execute(db);
  await sql`create index calls_by_start on calls (account_id, started_at, id)`.execute(db);
  await sql`
    create index calls_by_caller on calls (account_id, caller_key, started_at, id) where caller_key is not null`.execute(
    db,
  );
  await sql`
    create unique index calls_caller_has_one_first on calls (account_id, caller_key)
    where is_first_call and caller_key is not null`.execute(db);
}
