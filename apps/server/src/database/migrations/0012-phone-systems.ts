import { type Kysely, sql } from "kysely";

/** Adds phone systems, call flows, and columns of `calls` for the reports from phone systems. */
export async function up(db: Kysely<never>): Promise<void> {
  await createPhoneSystems(db);
  await createCallFlows(db);
  await extendCalls(db);
}

async function createPhoneSystems(db: Kysely<never>): Promise<void> {
  await sql`
    create table phone_systems (
      id uuid primary key default uuid_v7(),
      name text not null,
      kind text not null,
      account_sid text collate "C",
      fallback_number text collate "C" not null,
      country_code text collate "C",
      trunk_prefix text collate "C",
      allowed_prefixes text[] collate "C" not null default '{}',
      capabilities text[] collate "C" not null default '{}',
      credentials jsonb not null,
      is_active boolean not null default true,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint phone_systems_kind_is_known check (kind in ('twilio', 'signalwire', 'telnyx', 'sip')),
      constraint phone_systems_capabilities_are_known check (capabilities <@ array['prompt', 'whisper', 'recording']),
      constraint phone_systems_trunk_prefix_has_country check (trunk_prefix is null or country_code is not null)
    )`.execute(db);
  await sql`alter table tracking_numbers add column phone_system_id uuid`.execute(db);
  await sql`
    create index tracking_numbers_of_phone_system on tracking_numbers (phone_system_id, phone_number)
    where phone_system_id is not null`.execute(db);
}

/** Creates call flows. The default call flow of an account has the nil UUID as its pool, because a primary key cannot contain nulls. */
async function createCallFlows(db: Kysely<never>): Promise<void> {
  await sql`
    create table call_flows (
      account_id integer not null references accounts (id),
      pool_id uuid not null,
      settings jsonb not null,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (account_id, pool_id)
    )`.execute(db);
}

/** Makes `call_id` unique only among the calls without a phone system, because two phone systems can use the same id for different calls. */
async function extendCalls(db: Kysely<never>): Promise<void> {
  await sql`
    alter table calls
      add column phone_system_id uuid,
      add column evidence jsonb,
      add column outcome_basis text,
      add column recording_expires_at timestamptz(3),
      drop constraint calls_call_id_is_unique,
      add constraint calls_outcome_basis_is_known
        check (outcome_basis in ('timer', 'caller_leg', 'dialed_leg', 'dial_result')),
      add constraint calls_evidence_has_phone_system check ((evidence is null) = (phone_system_id is null))`.execute(
    db,
  );
  await sql`
    create unique index calls_call_id_is_unique on calls (account_id, call_id) where phone_system_id is null`.execute(
    db,
  );
  await sql`
    create index calls_in_progress on calls (started_at) where phone_system_id is not null and ended_at is null`.execute(
    db,
  );
}
