import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatabaseLocation } from "../../config/database-location.js";
import { createJsonClient } from "../../testing/json-client.js";
import { createEmptyDatabase } from "../../testing/test-database.js";
import { serveDatabase } from "../../testing/test-server.js";
import { acquireMigrationLock, MIGRATION_NAMES, migrateWithinTransaction } from "../migrate.js";
import { type Database, openDatabase } from "../open-database.js";

const id = (last: number) => `019aa34f-5c1d-7e52-8c3a-${String(last).padStart(12, "0")}`;
const [NUMBER, AUTOMANAGED, MANUAL, TRACKER, FREE] = [id(1), id(2), id(3), id(4), id(5)];
const HASH = "a".repeat(64);

/** SQL that inserts rows into all tables of each release, keyed by the last migration of the release. */
const ROWS: Readonly<Record<string, string>> = {
  "0001-accounts-phone-numbers-pools": `
    insert into accounts (account_token) values ('acme'), ('other');
    insert into account_handles (handle, account_id, account_token) values ('acme', 1, 'acme'), ('1', 1, 'acme');
    insert into phone_numbers (account_id, id, phone_number) values (1, '${NUMBER}', '+15550000001'), (2, '${NUMBER}', '+15550000001');
    insert into pools (account_id, id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type, property_token, size, utilization)
      values (1, '${AUTOMANAGED}', '${NUMBER}', '777', true, true, true, 'automanaged', 'shop', 3, 0.5),
        (1, '${MANUAL}', '${NUMBER}', '777', true, true, true, 'manual', 'shop', 2, null)`,
  "0002-call-trackers": `
    insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id)
      values ('+15550000011', '777', 'assigned', 1, '${AUTOMANAGED}', '${TRACKER}'),
        ('+15550000012', '777', 'retiring', 1, '${AUTOMANAGED}', '${FREE}'),
        ('+15550000013', '777', 'free', null, null, null),
        ('+15550000014', '777', 'retired', null, null, null);
    insert into call_trackers (account_id, pool_id, id, tracking_number, status, source, medium)
      values (1, '${AUTOMANAGED}', '${TRACKER}', '+15550000011', 'active', 'google', 'cpc'),
        (1, '${AUTOMANAGED}', '${FREE}', '+15550000012', 'available', null, null);
    insert into call_tracker_changes (account_id, pool_id, call_tracker_id, tracking_number, kind, source, medium, reason)
      values (1, '${AUTOMANAGED}', '${TRACKER}', '+15550000011', 'assigned', 'google', 'cpc', 'it had visits');
    insert into visit_days (account_id, property_token, day, sources) values (1, 'shop', current_date, 1);
    insert into visit_counts values (1, 'shop', current_date, 'google', 'cpc', 200);
    insert into visit_events (account_id, event_key) values (1, '${NUMBER}');
    update pool_passes set due_at = '2020-01-01', passed_at = '2019-12-31', failures = 2, last_failure = 'oops' where pool_id = '${MANUAL}'`,
  "0003-pass-leases": `
    update pool_passes set due_at = 'infinity', leased_until = null where pool_id = '${AUTOMANAGED}';
    insert into phone_numbers (account_id, phone_number) values (2, '+15550000002');
    alter table phone_numbers disable trigger user;
    insert into phone_numbers (account_id, phone_number) values (2, '+15550000014');
    alter table phone_numbers enable trigger user`,
  "0004-original-numbers": "update visit_days set unattributed = 7",
  "0005-api-keys": `
    insert into api_keys (prefix, hash, scopes, account_id, account_token)
      values ('ct_aaaaaaaaaaaa', '${HASH}', '{read}', 1, 'acme'), ('ct_bbbbbbbbbbbb', '${HASH}', '{admin}', null, null)`,
  "0006-visit-days-by-account":
    "insert into visit_days (account_id, property_token, day) values (2, 'shop', current_date)",
  "0007-idempotency-keys": `
    insert into idempotency_keys (account_id, key_hash, request_hash, answer, expires_at)
      values (0, sha256('a'), sha256('b'), 'c', now() + interval '1 hour')`,
  "0008-audit-entries": `
    insert into audit_entries (account_id, method, actor_kind, resource_type, resource_id, after)
      values (1, 'calltracking.v1.PoolService/CreatePool', 'operator', 'pool', '${MANUAL}', '{}')`,
  "0010-calls": `
    insert into calls (account_id, call_id, tracking_number, started_at, is_start_sent, outcome, pool_id, call_tracker_id,
        original_number, tracker_status, is_prompted, is_recorded)
      values (1, 'call-1', '+15550000011', now(), true, 'in_progress', '${AUTOMANAGED}', '${TRACKER}', '+15550000001', 'active',
        true, true)`,
  "0012-phone-systems": `
    insert into phone_systems (name, kind, fallback_number, credentials) values ('PBX', 'sip', '+15550000001', '[]');
    insert into call_flows (account_id, pool_id, settings) values (1, '${MANUAL}', '{}');
    insert into calls (account_id, call_id, tracking_number, started_at, is_start_sent, answered_at, ended_at, duration_seconds, outcome, outcome_basis,
        evidence, phone_system_id, pool_id, call_tracker_id, original_number, tracker_status, is_prompted, is_recorded)
      select 1, outcome, '+15550000011', '2026-11-01', false, answered_at, '2026-11-01T04:10Z', duration, outcome, basis, '{}', '${NUMBER}',
        '${AUTOMANAGED}', '${TRACKER}', '+15550000001', 'active', true, true
      from (values ('answered', timestamptz '2026-11-01T00:00:08Z', 14992, 'timer'), ('missed', null, 0, 'timer'),
        ('busy', null, 0, 'dial_result')) as closed (outcome, answered_at, duration, basis)`,
  "0022-events": "insert into events (account_id, type) values (1, 'account.created')",
  "0023-webhook-endpoints": `
    insert into webhook_endpoints (account_id, url, types, payload, ordered, concurrency, max_age_seconds, secrets, position)
      values (1, 'https://hooks.example/', '{}', 'full', false, 10, 86400, '[]', 0);
    insert into webhook_deliveries (account_id, endpoint_id, position, subject, status)
      select 1, id, 1, 'subject', 'delivered' from webhook_endpoints`,
};

describe.each(["embedded", "postgres"] as const)("a migrated database with rows, on the %s engine", (engine) => {
  let location: DatabaseLocation;
  let database: Database;

  const rows = async (text: string) => (await sql.raw<Record<string, unknown>>(text).execute(database.kysely)).rows;

  /** The rows of all tables before the last migration. */
  const before = new Map<string, readonly Record<string, unknown>[]>();

  async function tables(): Promise<string[]> {
    const found = await rows(
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
    );
    return found.map(({ relname }) => String(relname)).filter((name) => !name.startsWith("kysely_"));
  }

  async function migrateTo(name: string): Promise<void> {
    const applied = await database.kysely.transaction().execute(async (transaction) => {
      await acquireMigrationLock(transaction);
      return migrateWithinTransaction(transaction, name);
    });
    expect(applied).toEqual([name]);
  }

  beforeAll(async () => {
    location = await createEmptyDatabase(engine);
    database = openDatabase(location);
    for (const name of MIGRATION_NAMES) {
      if (name === MIGRATION_NAMES.at(-1))
        for (const table of await tables()) before.set(table, await rows(`select * from ${table}`));
      await migrateTo(name);
      for (const statement of (ROWS[name] ?? "").split(";\n"))
        if (statement !== "") await sql.raw(statement).execute(database.kysely);
    }
  });

  afterAll(() => database?.close());

  test("had rows in every table before the last migration", () => {
    expect(before.size).toBeGreaterThan(10);
    for (const [table, found] of before) expect(found.length, table).toBeGreaterThan(0);
  });

  test("has a pass for each pool, with the property of automanaged pools and the earlier state", async () => {
    expect(
      await rows(
        "select pool_id, property_token, failures, last_failure, leased_until from pool_passes order by pool_id",
      ),
    ).toEqual([
      { pool_id: AUTOMANAGED, property_token: "shop", failures: 0, last_failure: null, leased_until: null },
      { pool_id: MANUAL, property_token: null, failures: 2, last_failure: "oops", leased_until: null },
    ]);
    expect(await rows("select from pool_passes where due_at > now()")).toEqual([]);
  });

  test("has each registered number once in the inventory table, as an original number", async () => {
    expect(
      await rows(
        "select phone_number, area_code, state, is_original, retires_immediately from tracking_numbers order by 1",
      ),
    ).toEqual(
      [
        ["+15550000001", null, "retired", true],
        ["+15550000002", null, "retired", true],
        ["+15550000011", "777", "assigned", false],
        ["+15550000012", "777", "retiring", false],
        ["+15550000013", "777", "free", false],
        ["+15550000014", "777", "retired", true],
      ].map(([phone_number, area_code, state, is_original]) => {
        return { phone_number, area_code, state, is_original, retires_immediately: false };
      }),
    );
  });

  test("marks retiring call trackers", async () => {
    expect(await rows("select id, retirement, source from call_trackers order by id")).toEqual([
      { id: TRACKER, retirement: null, source: "google" },
      { id: FREE, retirement: "gradual", source: null },
    ]);
  });

  test("has no call ends that nobody reported", async () => {
    const columns = "call_id, outcome, outcome_detail, answered_at is not null as answered, ended_at, duration_seconds";
    const endless = { ended_at: null, duration_seconds: null };
    expect(await rows(`select ${columns} from calls where call_id <> 'call-1' order by call_id`)).toEqual([
      { call_id: "answered", outcome: "answered", outcome_detail: null, answered: true, ...endless },
      {
        ...{ call_id: "busy", outcome: "busy", outcome_detail: null, answered: false },
        ...{ ended_at: new Date("2026-11-01T04:10Z"), duration_seconds: 0 },
      },
      { call_id: "missed", outcome: "missed", outcome_detail: "unknown", answered: false, ...endless },
    ]);
  });

  test("has lost no row, and no value except those that a migration changes", async () => {
    const changed: Readonly<Record<string, readonly string[]>> = {
      pool_passes: ["due_at"],
      calls: ["ended_at", "duration_seconds"],
    };
    for (const [table, found] of before) {
      const kept = Object.keys(found[0] ?? {}).filter((column) => !changed[table]?.includes(column));
      const now = await rows(`select ${kept.join(", ")} from ${table}`);
      const plain = found.map((row) => Object.fromEntries(kept.map((column) => [column, row[column]])));
      expect(now, table).toHaveLength(plain.length);
      expect(now, table).toEqual(expect.arrayContaining(plain));
    }
  });

  test("can be served", async () => {
    await database.close();
    const server = await serveDatabase(location, { managesPools: false });
    const api = createJsonClient(server.url);
    expect((await api.listPools({ account_id: "acme" })).entries.map((pool) => pool.id)).toEqual([AUTOMANAGED, MANUAL]);
    expect((await api.listCallTrackers({ account_id: "acme", pool_id: AUTOMANAGED })).entries).toHaveLength(2);
    const report = await api.reportCalls({ account_id: "acme", to: "2026-11-02T00:00:00Z" });
    expect(report).toMatchObject([
      { calls: 3, answered: 1, missed: 1, abandoned: 0, unknown: 1, total_seconds: 0, average_seconds: null },
    ]);
    await server.runDue();
    await server.stop();
    database = openDatabase(location);
    expect(await rows("select failures from pool_passes where failures > 0")).toEqual([]);
  });
});
