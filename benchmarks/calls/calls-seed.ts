import type pg from "pg";
import { insertAccounts } from "../account-seed.ts";

const DAYS = 30;

export interface SeededPeriod {
  /** The period with calls and visits: 30 whole UTC days up to the end of today. */
  readonly from: string;
  readonly to: string;
}

/** Fills an empty database with account 1, which has calls and visits on 30 days. Returns the period of these days. */
export async function seedCalls(client: pg.Client, calls: number): Promise<SeededPeriod> {
  // Skips foreign key checks, which would take half of the time. The generated references are valid.
  await client.query("set session_replication_role = replica");
  const { rows: bounds } = await client.query(PERIOD);
  const { from, to } = bounds[0];
  await insertAccounts(client, 1);
  for (const statement of INSERT_POOLS) await client.query(statement);
  await client.query(INSERT_CALLS, [calls, from]);
  for (const statement of INSERT_VISITS) await client.query(statement);
  await client.query("vacuum (analyze)");
  await client.query("checkpoint");
  return { from, to };
}

const PERIOD = `
  select to_char(day - interval '${DAYS - 1} days', 'YYYY-MM-DD"T"00:00:00"Z"') as "from",
    to_char(day + interval '1 day', 'YYYY-MM-DD"T"00:00:00"Z"') as "to"
  from date_trunc('day', now() at time zone 'UTC') day`;

/** Inserts 4 pools for two properties. Each pool has 25 tracking numbers, each with the source and medium of its calls. */
const INSERT_POOLS = [
  `insert into pools (account_id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type,
     property_token, size, utilization)
   select account_id, id, '030', true, false, true, 'automanaged', 'shop' || n % 2, 25, 1
   from phone_numbers, generate_series(1, 4) n`,
  `create temporary table planned as
   select account_id, pools.id as pool_id, original_number_id, property_token, uuid_v7() as id, 'source ' || n % 10 as source,
     'medium ' || n % 3 as medium, row_number() over (order by account_id, pools.id, n)::integer as place,
     '+49' || (300000000 + row_number() over (order by account_id, pools.id, n)) as phone_number
   from pools, generate_series(1, 25) n`,
  `insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id)
   select phone_number, '030', 'assigned', account_id, pool_id, id from planned`,
];

/** A third of the calls are from new callers, and seven tenths are answered. */
const INSERT_CALLS = `
  insert into calls (account_id, call_id, tracking_number, caller_number, caller_key, started_at, is_start_sent, answered_at,
    ended_at, duration_seconds, outcome, pool_id, call_tracker_id, original_number, property_token, source, medium,
    tracker_status, is_first_call, is_prompted, is_recorded)
  select 1, 'call-' || n, planned.phone_number, caller, md5(caller)::uuid, started_at, true, answered_at,
    started_at + talk_seconds * interval '1 second', case when answered_at is null then 0 else talk_seconds - 8 end,
    case when answered_at is null then 'missed' else 'answered' end, pool_id, planned.id, '+12220000001', property_token,
    source, medium, 'active', n <= callers, false, true
  from generate_series(1, $1::integer) n
  cross join lateral (select greatest(1, $1::integer / 3) as callers) c
  cross join lateral (
    select '+1' || 3000000000 + n % callers as caller,
      $2::timestamptz + (now() - $2::timestamptz) * (n::float8 / $1::integer) as started_at, 10 + n % 600 as talk_seconds) call
  cross join lateral (select case when n % 10 < 7 then started_at + interval '8 seconds' end as answered_at) answer
  join planned on planned.place = 1 + n::bigint * 7919 % 100
  order by n`;

const INSERT_VISITS = [
  `insert into visit_days (account_id, property_token, day, sources, unattributed)
   select 1, 'shop' || n, current_date - age, 30, 5 from generate_series(0, 1) n, generate_series(0, ${DAYS - 1}) age`,
  `insert into visit_counts (account_id, property_token, day, source, medium, visits)
   select account_id, property_token, day, 'source ' || n % 10, 'medium ' || n % 3, 1000 + n
   from visit_days, generate_series(1, 30) n`,
];
