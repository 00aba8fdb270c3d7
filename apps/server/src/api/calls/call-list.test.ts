import { CallOutcome } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, openDatabase } from "../../database/open-database.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { listCalls } from "./call-list.js";
import { requireCall } from "./call-repository.js";

const NO_FILTER = {
  callerKey: undefined,
  poolId: undefined,
  propertyToken: undefined,
  source: undefined,
  medium: undefined,
  outcome: undefined,
  rejectReason: undefined,
  from: undefined,
  to: undefined,
};

describe.each(["postgres", "embedded"] as const)("on the %s engine", (engine) => {
  let database: Database;

  beforeAll(async () => {
    database = openDatabase(await createTestDatabase(engine));
    // Lets the test insert calls without their pools.
    await sql`alter table calls drop constraint calls_account_id_pool_id_fkey`.execute(database.kysely);
  });

  afterAll(() => database?.close());

  test("listed calls equal calls that are read individually, newest first", async () => {
    await sql`
      insert into calls (account_id, call_id, tracking_number, started_at, is_start_sent, outcome, outcome_detail, pool_id, call_tracker_id,
        original_number, tracker_status, is_prompted, is_recorded, created_at, updated_at)
      select 1, 'call "' || n, '+15550000001', timestamptz '2026-11-20T21:01:15.933Z' + n * interval '1 second', true, outcome, detail,
        uuid_v7(), uuid_v7(), '+15550000002', status, n = 1, n = 2, now(), now()
      from unnest(array['in_progress', 'answered', 'missed', 'busy', 'failed', 'voicemail', 'missed', 'missed', 'busy'],
        array[null, null, null, null, null, null, 'unknown', 'abandoned', 'abandoned'],
        array['available', 'active', 'flagged', 'released', 'active', 'active', 'active', 'active', 'active'])
        with ordinality as call (outcome, detail, status, n)`.execute(database.kysely);
    await sql`
      update calls set caller_number = '+15550000003', caller_key = uuid_v7(), answered_at = started_at, ended_at = started_at,
        duration_seconds = 0, recording_url = 'https://recordings.example/é', property_token = 'shop', source = 'a "b"',
        medium = 'cpc', is_first_call = outcome = 'answered'
      where outcome <> 'in_progress'`.execute(database.kysely);
    const account = { accountId: 1, accountToken: "acme" };
    const calls = await listCalls(database.db, account, NO_FILTER, { after: undefined, limit: 10 });
    expect(calls.map(({ callId }) => callId)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].map((n) => `call "${n}`));
    for (const outcome of Object.values(CallOutcome).filter((value) => typeof value === "number" && value !== 0)) {
      const filter = { ...NO_FILTER, outcome: outcome as CallOutcome };
      const matching = await listCalls(database.db, account, filter, { after: undefined, limit: 10 });
      expect(matching).toEqual(calls.filter((call) => call.outcome === outcome));
      expect(matching.length).toBe(outcome === CallOutcome.BUSY ? 2 : 1);
    }
    for (const call of calls) expect(await requireCall(database.db, account, call.id)).toEqual(call);
  });
});
