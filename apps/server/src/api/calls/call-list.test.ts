import { create, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { ListCallsResponseSchema } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { StoredRow } from "@calltrack/postgres";
import { createResponseEncoder, OWN_ENCODING, type OwnEncoding } from "@calltrack/transcoding";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../../database/open-database.js";
import { PATH_JSON } from "../../errors/json-path-options.js";
import { createTestDatabase } from "../../testing/test-database.js";
import { createListCallsResponse, listCalls } from "./call-list.js";
import { type CallRow, callOf } from "./call-row.js";

const CALLS_FIELD = ListCallsResponseSchema.field.calls;
const NO_FILTER = {
  callerKey: undefined,
  poolId: undefined,
  propertyToken: undefined,
  source: undefined,
  medium: undefined,
  outcome: undefined,
  from: undefined,
  to: undefined,
};

let database: Database;

beforeAll(async () => {
  database = openDatabase(await createTestDatabase("postgres"));
  // The foreign keys do not matter here.
  await sql`alter table calls drop constraint calls_account_id_pool_id_fkey`.execute(database.kysely);
});

afterAll(() => database?.close());

test("stored calls are written as their messages are, as JSON and in the binary format", async () => {
  await sql`
    insert into calls (account_id, call_id, tracking_number, started_at, is_start_sent, outcome, pool_id, call_tracker_id,
      original_number, tracker_status, is_prompted, is_recorded, created_at, updated_at)
    select 1, 'call "' || n, '+15550000001', timestamptz '2026-11-20T21:01:15.933Z' + n * interval '1 second', true, outcome,
      uuid_v7(), uuid_v7(), '+15550000002', status, n = 1, n = 2, now(), now()
    from unnest(array['in_progress', 'answered', 'missed', 'busy', 'failed', 'voicemail'],
      array['available', 'active', 'flagged', 'released', 'active', 'active']) with ordinality as call (outcome, status, n)`.execute(
    database.kysely,
  );
  await sql`
    update calls set caller_number = '+15550000003', caller_key = uuid_v7(), answered_at = started_at, ended_at = started_at,
      duration_seconds = 0, recording_url = 'https://recordings.example/é', property_token = 'shop', source = 'a "b"',
      medium = 'cpc', is_first_call = outcome = 'answered'
    where outcome <> 'in_progress'`.execute(database.kysely);
  const account = { accountId: 1, accountToken: "acme" };
  const list = () => listCalls(database.reads, account, NO_FILTER, { after: undefined, limit: 10 });
  // The first run on a connection returns objects.
  await list();
  const rows = (await list()) as StoredRow<CallRow>[];
  expect(rows).toHaveLength(6);
  for (const row of rows) expect(row).toBeInstanceOf(StoredRow);

  const calls = rows.map((row) => callOf(account.accountToken, row.read()));
  const expected = create(ListCallsResponseSchema, { calls, nextPageToken: "next" });
  const respond = (): MessageShape<typeof ListCallsResponseSchema> & { readonly [OWN_ENCODING]?: OwnEncoding } =>
    createListCallsResponse({ rows, context: account, nextPageToken: "next" });
  const json = createResponseEncoder(ListCallsResponseSchema, CALLS_FIELD, PATH_JSON).encode(expected);
  expect(respond()[OWN_ENCODING]?.encodeField(CALLS_FIELD, PATH_JSON)).toBe(json);
  const bytes = respond()[OWN_ENCODING]?.encodeBinary() as Uint8Array;
  expect(Buffer.from(bytes)).toEqual(Buffer.from(toBinary(ListCallsResponseSchema, expected)));
  expect(respond().calls).toEqual(expected.calls);
});
