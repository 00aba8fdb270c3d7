import { type Kysely, sql } from "kysely";

/** Creates call trackers, the inventory of their numbers, the visits that determine their sources, and the schedule of passes. */
export async function up(db: Kysely<never>): Promise<void> {
  await createClock(db);
  await createInventory(db);
  await createVisits(db);
  await createCallTrackers(db);
  await createPasses(db);
}

/**
 * Creates the clock of pool management, which adds the interval in `advanced` to the database's time. It truncates the sum to milliseconds,
 * because a timestamptz(3) column could otherwise round the current time up, into the future.
 */
async function createClock(db: Kysely<never>): Promise<void> {
  await sql`
    create table clock (
      only_row boolean primary key default true,
      advanced interval not null default '0',
      constraint clock_has_one_row check (only_row)
    )`.execute(db);
  await sql`insert into clock default values`.execute(db);
  await sql`
    create function clock_now() returns timestamptz language sql stable parallel safe
    as $$ select date_trunc('milliseconds', now() + (select advanced from clock)) $$`.execute(db);
}

async function createInventory(db: Kysely<never>): Promise<void> {
  await sql`
    create table tracking_numbers (
      phone_number text collate "C" primary key,
      area_code text not null,
      state text not null default 'free',
      free_from timestamptz(3) not null default clock_now(),
      account_id integer,
      pool_id uuid,
      call_tracker_id uuid,
      returned_at timestamptz(3),
      created_at timestamptz(3) not null default clock_now(),
      updated_at timestamptz(3) not null default clock_now(),
      constraint tracking_numbers_area_code_is_digits check (area_code ~ '^[0-9]{1,5}$'),
      constraint tracking_numbers_state_is_known check (state in ('free', 'assigned', 'retiring', 'retired')),
      constraint tracking_numbers_holder_fits_state check (
        case when state in ('assigned', 'retiring')
          then account_id is not null and pool_id is not null and call_tracker_id is not null and returned_at is null
          else (call_tracker_id is null) = (returned_at is null)
        end is true
      )
    )`.execute(db);
  await sql`
    create index tracking_numbers_free on tracking_numbers (area_code, free_from, phone_number) where state = 'free'`.execute(
    db,
  );
  await sql`create index tracking_numbers_by_area_code on tracking_numbers (area_code, phone_number)`.execute(db);
  await sql`create index phone_numbers_by_number on phone_numbers (phone_number)`.execute(db);
  await keepNumbersApart(db);
}

/**
 * Prevents a number from being both registered by an account and in the inventory, because calls to such a number would loop. Uncommitted rows of
 * other transactions are invisible, so both sides acquire an advisory lock: additions to the inventory exclusively, before they check for registered
 * numbers, and registrations in shared mode. After acquiring the lock, the statements of the trigger see all committed rows.
 */
async function keepNumbersApart(db: Kysely<never>): Promise<void> {
  await sql`
    create function refuse_tracking_number() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock_shared(7221034519);
      if exists (select from tracking_numbers where phone_number = new.phone_number and state <> 'retired') then
        raise exception 'phone number % is in the inventory', new.phone_number
          using errcode = 'check_violation', constraint = 'phone_numbers_are_no_tracking_numbers';
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger phone_numbers_are_no_tracking_numbers after insert on phone_numbers
    for each row execute function refuse_tracking_number()`.execute(db);
}

async function createVisits(db: Kysely<never>): Promise<void> {
  await sql`
    create table visit_days (
      account_id integer not null references accounts (id),
      property_token text collate "C" not null,
      day date not null,
      sources integer not null default 0,
      unattributed bigint not null default 0,
      primary key (account_id, property_token, day)
    )`.execute(db);
  await sql`create index visit_days_by_day on visit_days (day)`.execute(db);
  // The fill factor leaves space in each page for HOT updates: they change the counter without changing the indexes.
  await sql`
    create table visit_counts (
      account_id integer not null,
      property_token text collate "C" not null,
      day date not null,
      source text collate "C" not null,
      medium text collate "C" not null,
      visits bigint not null,
      primary key (account_id, property_token, day, source, medium),
      constraint visit_counts_are_positive check (visits > 0)
    ) with (fillfactor = 70)`.execute(db);
  await sql`
    create table visit_events (
      account_id integer not null,
      event_key uuid not null,
      recorded_at timestamptz(3) not null default clock_now(),
      primary key (account_id, event_key)
    )`.execute(db);
  await sql`create index visit_events_by_time on visit_events (recorded_at)`.execute(db);
}

async function createCallTrackers(db: Kysely<never>): Promise<void> {
  await sql`
    create table call_trackers (
      account_id integer not null,
      pool_id uuid not null,
      id uuid not null default uuid_v7(),
      tracking_number text collate "C" not null references tracking_numbers (phone_number),
      status text not null default 'available',
      source text collate "C",
      medium text collate "C",
      description text,
      created_at timestamptz(3) not null default clock_now(),
      available_since timestamptz(3) not null default clock_now(),
      dropped_at timestamptz(3),
      updated_at timestamptz(3) not null default clock_now(),
      primary key (account_id, pool_id, id),
      foreign key (account_id, pool_id) references pools (account_id, id),
      constraint call_trackers_number_serves_one unique (account_id, tracking_number),
      constraint call_trackers_status_is_known check (status in ('available', 'active', 'flagged')),
      constraint call_trackers_flagged_has_date check ((status = 'flagged') = (dropped_at is not null)),
      constraint call_trackers_source_has_medium check ((source is null) = (medium is null)),
      constraint call_trackers_available_has_no_source check (status <> 'available' or source is null)
    )`.execute(db);
  await sql`
    create unique index call_trackers_source_holds_one on call_trackers (account_id, pool_id, source, medium)
    where source is not null`.execute(db);
  await sql`
    create index call_trackers_active_by_hand on call_trackers (account_id, pool_id, id)
    where status = 'active' and source is null`.execute(db);
  await sql`
    create table call_tracker_changes (
      account_id integer not null,
      pool_id uuid not null,
      id bigint generated always as identity,
      call_tracker_id uuid not null,
      tracking_number text collate "C" not null,
      kind text not null,
      source text collate "C",
      medium text collate "C",
      reason text not null,
      occurred_at timestamptz(3) not null default clock_now(),
      primary key (account_id, pool_id, id)
    )`.execute(db);
  await sql`
    create index call_tracker_changes_by_call_tracker on call_tracker_changes (account_id, call_tracker_id, id)
    where source is not null`.execute(db);
  await sql`
    create index pools_for_dni on pools (property_token, account_id, id) where is_dni and property_token is not null`.execute(
    db,
  );
}

async function createPasses(db: Kysely<never>): Promise<void> {
  await sql`
    create table pool_passes (
      account_id integer not null,
      pool_id uuid not null,
      property_token text collate "C",
      due_at timestamptz(3) not null default clock_now(),
      passed_at timestamptz(3),
      wanted_area_code text,
      missing_numbers integer not null default 0,
      unserved_sources integer not null default 0,
      failures integer not null default 0,
      last_failure text,
      primary key (account_id, pool_id)
    )`.execute(db);
  await sql`create index pool_passes_due on pool_passes (due_at) where due_at < 'infinity'`.execute(db);
  await sql`create index pool_passes_by_property on pool_passes (account_id, property_token)`.execute(db);
  await sql`
    create index pool_passes_lacking_numbers on pool_passes (wanted_area_code) where wanted_area_code is not null`.execute(
    db,
  );
  await sql`create index pool_passes_unserved on pool_passes (unserved_sources) where unserved_sources > 0`.execute(db);
  await sql`create index pool_passes_failing on pool_passes (failures) where failures > 0`.execute(db);
  await sql`
    insert into pool_passes (account_id, pool_id, property_token)
    select account_id, id, case pool_type when 'automanaged' then property_token end from pools`.execute(db);
}
