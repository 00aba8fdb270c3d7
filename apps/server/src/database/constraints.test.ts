import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEmptyDatabase } from "../testing/test-database.js";
import { migrateToLatest } from "./migrate.js";
import { type Database, openDatabase } from "./open-database.js";

const id = (last: number) => `019aa34f-5c1d-7e52-8c3a-${String(last).padStart(12, "0")}`;
const [NUMBER, OTHER_NUMBER, POOL, MANUAL, TRACKER, OTHER, FREE, KEY] = [1, 2, 3, 4, 5, 6, 7, 8].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
  string,
  string,
];
const HASH = "0".repeat(64);

/** Valid rows, some of them with values at the limits of their ranges. */
const ROWS = `
  insert into accounts (id, account_token) values (1, 'acme'), (2, 'other');
  insert into account_handles (handle, account_id, account_token) values ('acme', 1, 'acme'), ('1', 1, 'acme');
  insert into phone_numbers (account_id, id, phone_number) values (1, '${NUMBER}', '+1'), (1, '${OTHER_NUMBER}', '+2'), (2, '${NUMBER}', '+1');
  insert into pools (account_id, id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type, property_token, size, utilization)
    values (1, '${POOL}', '${NUMBER}', '12345', true, true, true, 'automanaged', 'shop', 10000, 1),
      (1, '${MANUAL}', '${NUMBER}', '0', true, true, true, 'manual', null, 1, null),
      (1, '${KEY}', '${NUMBER}', '0', true, true, true, 'automanaged', '', 1, 0);
  insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id, returned_at, is_original)
    values ('+11', '1', 'assigned', 1, '${POOL}', '${TRACKER}', null, false), ('+12', '12345', 'retiring', 1, '${POOL}', '${OTHER}', null, false),
      ('+13', '1', 'free', null, null, null, null, false), ('+14', '1', 'retired', 1, '${POOL}', '${FREE}', now(), false),
      ('+15', '1', 'free', 1, '${POOL}', '${FREE}', now(), false), ('+16', null, 'retired', null, null, null, null, true);
  insert into call_trackers (account_id, pool_id, id, tracking_number, status, source, medium, dropped_at, retirement)
    values (1, '${POOL}', '${TRACKER}', '+11', 'active', 'google', 'cpc', null, null),
      (1, '${POOL}', '${OTHER}', '+12', 'flagged', 'google', 'cpc', now(), 'gradual'),
      (1, '${POOL}', '${FREE}', '+13', 'available', null, null, null, 'immediate');
  insert into call_tracker_changes (account_id, pool_id, id, call_tracker_id, tracking_number, kind, reason) overriding system value
    values (1, '${POOL}', 1, '${TRACKER}', '+11', 'created', '');
  insert into pool_passes (account_id, pool_id) values (1, '${POOL}');
  insert into visit_days (account_id, property_token, day) values (1, 'shop', '2030-01-01');
  insert into visit_counts (account_id, property_token, day, source, medium, visits) values (1, 'shop', '2030-01-01', 'google', 'cpc', 1);
  insert into visit_events (account_id, event_key) values (1, '${KEY}');
  insert into api_keys (id, prefix, hash, scopes, account_id, account_token)
    values ('${KEY}', 'ct_one', '${HASH}', '{read,write,admin,dni,calls}', 1, 'acme'), ('${POOL}', 'ct_two', '${HASH}', '{dni}', null, null);
  insert into tracking_number_holders (phone_number, held_from, call_tracker_id, account_id, pool_id)
    values ('+11', '2030-01-01', '${TRACKER}', 1, '${POOL}');
  insert into calls (account_id, id, call_id, tracking_number, caller_number, caller_key, started_at, is_start_sent, answered_at, ended_at,
      duration_seconds, outcome, pool_id, call_tracker_id, original_number, source, medium, tracker_status, is_first_call, is_prompted, is_recorded)
    values (1, '${KEY}', '1', '+11', '+3', '${KEY}', '2030-01-01', true, '2030-01-01', '2030-01-01', 0, 'answered', '${POOL}', '${TRACKER}', '+1', 'google', 'cpc', 'active', true, true, true),
      (1, '${FREE}', '2', '+11', null, '${KEY}', '2030-01-02', false, null, null, null, 'in_progress', '${POOL}', '${TRACKER}', '+1', null, null, 'released', false, true, true),
      (1, '${OTHER}', '3', '+11', null, null, '2030-01-02', false, null, '2030-01-02', 0, 'missed', '${POOL}', '${TRACKER}', '+1', null, null, 'flagged', null, true, true);
  insert into call_flows (account_id, pool_id, settings) values (1, '${POOL}', '{}'), (1, '00000000-0000-0000-0000-000000000000', '{}');
  insert into phone_systems (name, kind, fallback_number, country_code, trunk_prefix, capabilities, credentials)
    values ('PBX', 'sip', '+1', '49', '0', '{prompt,whisper,recording}', '[]');
  insert into idempotency_keys (account_id, key_hash, request_hash, expires_at) values (0, sha256('a'), sha256('a'), now());
  insert into audit_entries (account_id, id, method, actor_kind, resource_type, resource_id, after) values (0, '${KEY}', 'm', 'operator', 'pool', '1', '{}');
  insert into events (account_id, type) values (1, 'account.created');
  insert into webhook_endpoints (account_id, id, url, types, payload, ordered, concurrency, max_age_seconds, secrets, position)
    values (1, '${KEY}', 'https://hooks.example/', '{}', 'full', false, 10, 1, '[]', 0);
  insert into webhook_deliveries (account_id, endpoint_id, position, subject, due_at) values (1, '${KEY}', 1, 'pool', now());`;

const tracker = (change: string) => `update call_trackers set ${change} where id = '${TRACKER}'`;
const number = (change: string, phoneNumber = "+11") =>
  `update tracking_numbers set ${change} where phone_number = '${phoneNumber}'`;
const pool = (change: string, of = POOL) => `update pools set ${change} where id = '${of}'`;
const call = (change: string, of = KEY) => `update calls set ${change} where id = '${of}'`;
const key = (change: string) => `update api_keys set ${change} where id = '${KEY}'`;
/** Returns an INSERT statement that copies a row of the table, including its key. */
const twice = (table: string) => `insert into ${table} overriding system value select * from ${table} limit 1`;

/** Statements that violate one constraint or unique index each, keyed by the name of the constraint or index. */
const VIOLATIONS: Readonly<Record<string, readonly string[]>> = {
  account_handles_account_id_fkey: ["update account_handles set account_id = 3", "delete from accounts where id = 1"],
  account_handles_pkey: [twice("account_handles")],
  accounts_id_is_positive: [0, -1].map((each) => `insert into accounts (id, account_token) values (${each}, 'new')`),
  accounts_pkey: [twice("accounts")],
  api_keys_account_has_both_names: [key("account_id = null"), key("account_token = null")],
  api_keys_hash_is_sha_256: [63, 65]
    .map((length) => key(`hash = '${"a".repeat(length)}'`))
    .concat(key(`hash = '${"G".repeat(64)}'`)),
  api_keys_pkey: [`insert into api_keys (id, prefix, hash, scopes) values ('${KEY}', 'ct_three', '${HASH}', '{read}')`],
  api_keys_prefix_is_unique: [key("prefix = 'ct_two'")],
  api_keys_scopes_are_known: [key("scopes = '{}'"), key("scopes = '{read,root}'")],
  audit_entries_pkey: [twice("audit_entries")],
  call_flows_account_id_fkey: ["update call_flows set account_id = 3"],
  call_flows_pkey: [twice("call_flows")],
  call_tracker_changes_pkey: [twice("call_tracker_changes")],
  call_trackers_account_id_pool_id_fkey: [
    tracker(`pool_id = '${NUMBER}'`),
    tracker("account_id = 2"),
    `delete from pools where id = '${POOL}'`,
  ],
  call_trackers_available_has_no_source: [tracker("status = 'available'")],
  call_trackers_flagged_has_date: [tracker("status = 'flagged'"), tracker("dropped_at = now()")],
  call_trackers_number_serves_one: [tracker("tracking_number = '+12'")],
  call_trackers_pkey: [
    `insert into call_trackers (account_id, pool_id, id, tracking_number) values (1, '${POOL}', '${TRACKER}', '+14')`,
  ],
  call_trackers_retirement_is_known: [tracker("retirement = 'soon'")],
  call_trackers_source_has_medium: [tracker("source = null"), tracker("medium = null")],
  call_trackers_source_has_one_active: [
    `update call_trackers set status = 'active', dropped_at = null where id = '${OTHER}'`,
  ],
  call_trackers_source_holds_one: [`update call_trackers set retirement = null where id = '${OTHER}'`],
  call_trackers_status_is_known: [tracker("status = 'lost'")],
  call_trackers_tracking_number_fkey: [
    tracker("tracking_number = '+99'"),
    "delete from tracking_numbers where phone_number = '+11'",
  ],
  calls_account_id_pool_id_fkey: [call(`pool_id = '${NUMBER}'`), call("account_id = 2")],
  calls_call_id_is_unique: [call("call_id = '2'")],
  calls_caller_has_one_first: [call("is_first_call = true", FREE)],
  calls_caller_number_has_key: [call("caller_key = null, is_first_call = null")],
  calls_duration_is_of_ended: [call("ended_at = null"), call("duration_seconds = 1", FREE)],
  calls_evidence_has_phone_system: [call("evidence = '{}'"), call(`phone_system_id = '${FREE}'`)],
  calls_imported_have_no_pool: [
    call("is_imported = true"),
    call("pool_id = null"),
    call("call_tracker_id = null"),
    call("tracker_status = null"),
    call("is_imported = true, pool_id = null, call_tracker_id = null"),
  ],
  calls_outcome_basis_is_known: [call("outcome_basis = 'rumour'")],
  calls_outcome_detail_is_known: [call("outcome_detail = 'missed'")],
  calls_outcome_is_known: [call("outcome = 'lost'")],
  calls_pkey: [call(`id = '${FREE}'`)],
  calls_reject_reason_is_known: [call("reject_reason = 'BUSY'")],
  calls_source_has_medium: [call("source = null"), call("medium = null")],
  calls_times_are_in_order: [
    call("answered_at = '2029-12-31'"),
    call("answered_at = '2030-01-01T00:00:01Z'"),
    call("ended_at = '2030-01-01'", OTHER),
  ],
  calls_tracker_status_is_known: [call("tracker_status = 'lost'")],
  clock_has_one_row: ["insert into clock (only_row) values (false)"],
  clock_pkey: ["insert into clock default values"],
  idempotency_keys_hashes_are_sha_256: [
    "update idempotency_keys set key_hash = 'a'",
    "update idempotency_keys set request_hash = sha256('a') || 'a'",
  ],
  events_pkey: [twice("events")],
  idempotency_keys_pkey: [twice("idempotency_keys")],
  kysely_migration_pkey: [twice("kysely_migration")],
  phone_numbers_account_id_fkey: ["insert into phone_numbers (account_id, phone_number) values (3, '+1')"],
  phone_numbers_are_no_tracking_numbers: [number("is_original = true"), number("is_original = true", "+13")],
  phone_numbers_are_unique_per_account: ["insert into phone_numbers (account_id, phone_number) values (1, '+1')"],
  phone_numbers_pkey: [`insert into phone_numbers (account_id, id, phone_number) values (1, '${NUMBER}', '+3')`],
  phone_systems_capabilities_are_known: ["update phone_systems set capabilities = '{telepathy}'"],
  phone_systems_kind_is_known: ["update phone_systems set kind = 'telegraph'"],
  phone_systems_pkey: [twice("phone_systems")],
  phone_systems_trunk_prefix_has_country: ["update phone_systems set country_code = null"],
  pool_passes_pkey: [twice("pool_passes")],
  pools_account_id_original_number_id_fkey: [
    pool(`original_number_id = '${POOL}'`),
    `delete from phone_numbers where account_id = 1 and id = '${NUMBER}'`,
  ],
  pools_area_code_is_digits: ["", "123456", "1a", "١"].map((code) => pool(`area_code = '${code}'`)),
  pools_pkey: [twice("pools")],
  pools_size_is_in_range: [pool("size = 0"), pool("size = 10001")],
  pools_type_is_known: [pool("pool_type = 'other'")],
  pools_utilization_fits_type: [
    pool("utilization = null"),
    pool("utilization = -0.001"),
    pool("utilization = 1.001"),
    pool("property_token = null"),
    pool("utilization = 1", MANUAL),
  ],
  settings_pkey: [twice("settings")],
  tracking_number_holders_pkey: [twice("tracking_number_holders")],
  tracking_numbers_area_code_is_digits: ["", "123456", "1a"].map((code) => number(`area_code = '${code}'`)),
  tracking_numbers_have_area_code: [number("area_code = null")],
  tracking_numbers_holder_fits_state: [
    ...["account_id", "pool_id", "call_tracker_id"].flatMap((column) => [
      number(`${column} = null`),
      number(`${column} = null`, "+12"),
    ]),
    number("returned_at = now()"),
    number("state = 'free'"),
    number("state = 'retired'"),
    number("returned_at = null", "+14"),
    number("returned_at = now()", "+13"),
  ],
  tracking_numbers_pkey: [twice("tracking_numbers")],
  tracking_numbers_state_is_known: [number("state = 'lost'", "+13")],
  visit_counts_are_positive: ["update visit_counts set visits = 0"],
  visit_counts_pkey: [twice("visit_counts")],
  visit_days_account_id_fkey: ["update visit_days set account_id = 3"],
  visit_days_pkey: [twice("visit_days")],
  visit_events_pkey: [twice("visit_events")],
  webhook_deliveries_pkey: [twice("webhook_deliveries")],
  webhook_deliveries_status_is_known: ["update webhook_deliveries set status = 'lost', due_at = null"],
  webhook_deliveries_waiting_are_due: [
    "update webhook_deliveries set due_at = null",
    "update webhook_deliveries set status = 'delivered'",
  ],
  webhook_endpoints_inactive_has_reason: [
    "update webhook_endpoints set is_active = false",
    "update webhook_endpoints set inactive_reason = 'gone'",
  ],
  webhook_endpoints_payload_is_known: ["update webhook_endpoints set payload = 'half'"],
  webhook_endpoints_pkey: [twice("webhook_endpoints")],
};

/** Returns the names of all unique indexes and all constraints except `not null`, which have generated names since PostgreSQL 18. */
const CONSTRAINTS = sql<{ name: string }>`
  select conname as name from pg_constraint
  where connamespace = 'public'::regnamespace and contype <> 'n'
  union select relname from pg_index join pg_class on pg_class.oid = indexrelid
  where indisunique and relnamespace = 'public'::regnamespace`;

describe.each(["embedded", "postgres"] as const)("the schema, on the %s engine", (engine) => {
  let database: Database;

  beforeAll(async () => {
    database = openDatabase(await createEmptyDatabase(engine));
    await migrateToLatest(database.kysely);
    for (const statement of ROWS.split(";\n")) await sql.raw(statement).execute(database.kysely);
  });

  afterAll(() => database?.close());

  test("is tested here for every constraint and unique index", async () => {
    const { rows } = await CONSTRAINTS.execute(database.kysely);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(VIOLATIONS).toSorted());
  });

  test.each(Object.entries(VIOLATIONS))("rejects rows that violate %s", async (name, changes) => {
    expect(changes).not.toEqual([]);
    for (const change of changes) expect(await violatedConstraintOf(change), change).toBe(name);
  });

  /** Returns the constraint that rejects a change. Always rolls the change back. */
  async function violatedConstraintOf(change: string): Promise<unknown> {
    try {
      return await database.kysely.transaction().execute(async (transaction) => {
        await sql.raw(change).execute(transaction);
        throw Object.assign(new Error("not refused"), { constraint: "none" });
      });
    } catch (error) {
      return (error as { constraint?: string }).constraint ?? error;
    }
  }
});
