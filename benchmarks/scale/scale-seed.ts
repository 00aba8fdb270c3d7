import type pg from "pg";
import { insertAccounts } from "../account-seed.ts";

/** One pool in this many belongs to the largest account. The other accounts share the rest equally. */
const POOLS_PER_LARGEST_ACCOUNT_POOL = 10;
const POOLS_PER_ACCOUNT = 100;

/** One pool in this many has call trackers, and its own property with visits. */
const POOLS_PER_TRACKED_POOL = 20;

const SAMPLED_ACCOUNTS = 1_000;
const SAMPLED_POOLS = 20_000;
const SAMPLED_TRACKED_POOLS = 2_000;

export interface ScaleSeed {
  /** Random pools from the sampled accounts. */
  readonly pools: readonly { readonly accountToken: string; readonly id: string }[];
  /** Random accounts, except the largest. */
  readonly accounts: readonly { readonly id: number; readonly accountToken: string; readonly phoneNumber: string }[];
  readonly trackedPools: readonly { readonly account_id: number; readonly pool_id: string }[];
  readonly largestAccount: string;
  readonly largestAccountPools: number;
}

/**
 * Fills an empty database with pools, a hundredth as many accounts, and call trackers in every twentieth pool. Rows are in chronological order,
 * with the pools of all accounts mixed, as if users had created them.
 */
export async function seedScaleDatabase(client: pg.Client, pools: number): Promise<ScaleSeed> {
  // Skips foreign key checks, which would take half of the time. The generated references are valid.
  await client.query("set session_replication_role = replica");
  await client.query("set work_mem = '256MB'");
  const accounts = pools / POOLS_PER_ACCOUNT;
  await insertAccounts(client, accounts);
  await client.query(INSERT_ORIGINAL_NUMBERS);
  await client.query(INSERT_POOLS, [pools, accounts]);
  await client.query(INSERT_PASSES);
  await client.query(PLAN_CALL_TRACKERS);
  for (const statement of INSERT_CALL_TRACKERS) await client.query(statement);
  await client.query("vacuum (analyze)");
  await client.query("checkpoint");
  return sample(client, pools);
}

/**
 * Restores the database after a measurement. Deletes the pools created since a time, and makes sure that no changed pool is due for a pass.
 *
 * @param since a time on the database's clock.
 */
export async function resetScaleDatabase(client: pg.Client, { accounts }: ScaleSeed, since: Date): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  await client.query(DELETE_PASSES, [ids, since]);
  await client.query("delete from pools where account_id = any($1) and created_at >= $2", [ids, since]);
  await client.query("update pool_passes set due_at = 'infinity' where coalesce(leased_until, due_at) < 'infinity'");
}

async function sample(client: pg.Client, pools: number): Promise<ScaleSeed> {
  await client.query("select setseed(0.5)");
  const { rows: accounts } = await client.query(SAMPLE_ACCOUNTS, [SAMPLED_ACCOUNTS]);
  const { rows } = await client.query(SAMPLE_POOLS, [accounts.map(({ id }) => id), SAMPLED_POOLS]);
  const { rows: trackedPools } = await client.query(SAMPLE_TRACKED_POOLS, [SAMPLED_TRACKED_POOLS]);
  const { rows: largest } = await client.query("select account_token from accounts where id = 1");
  return {
    pools: rows,
    accounts,
    trackedPools,
    largestAccount: largest[0].account_token,
    largestAccountPools: pools / POOLS_PER_LARGEST_ACCOUNT_POOL,
  };
}

const INSERT_ORIGINAL_NUMBERS = `
  insert into tracking_numbers (phone_number, state, is_original) select phone_number, 'retired', true from phone_numbers`;

const INSERT_POOLS = `
  insert into pools (account_id, original_number_id, area_code, description, is_dni, is_prompted, is_recorded, pool_type,
    property_token, size, utilization)
  select number.account_id, number.id, '030', 'Pool number ' || n, true, false, true, 'automanaged',
    case n % ${POOLS_PER_TRACKED_POOL} when 5 then 'tracked-' || n else 'prop_' || md5(number.account_id::text) end, 2, 1
  from generate_series(1, $1::integer) n
  join phone_numbers number on number.account_id = case n % ${POOLS_PER_LARGEST_ACCOUNT_POOL}
    when 0 then 1 else 2 + (n - n / ${POOLS_PER_LARGEST_ACCOUNT_POOL}) % ($2::integer - 1) end`;

const INSERT_PASSES = `
  insert into pool_passes (account_id, pool_id, property_token, due_at, passed_at)
  select account_id, id, property_token, 'infinity', now() from pools`;

const PLAN_CALL_TRACKERS = `
  create temporary table planned as
  select account_id, pools.id as pool_id, property_token, uuid_v7() as id, n as place, 'source ' || n as source,
    '+49' || lpad((row_number() over ())::text, 9, '0') as phone_number
  from pools, generate_series(1, 2) n
  where property_token like 'tracked-%'`;

const INSERT_CALL_TRACKERS = [
  `insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id)
   select phone_number, '030', 'assigned', account_id, pool_id, id from planned`,
  `insert into call_trackers (account_id, pool_id, id, tracking_number, status, source, medium)
   select account_id, pool_id, id, phone_number, 'active', source, 'medium' from planned`,
  `insert into visit_days (account_id, property_token, day, sources)
   select distinct account_id, property_token, current_date, 2 from planned`,
  `insert into visit_counts (account_id, property_token, day, source, medium, visits)
   select account_id, property_token, current_date, source, 'medium', 1000 - place from planned`,
];

const SAMPLE_ACCOUNTS = `
  select account.id, account_token as "accountToken", phone_number as "phoneNumber"
  from (select id, account_token from accounts where id > 1 order by random() limit $1) account
  join phone_numbers on account_id = account.id`;

const SAMPLE_POOLS = `
  select account_token as "accountToken", pools.id
  from accounts join pools on pools.account_id = accounts.id
  where accounts.id = any($1) order by random() limit $2`;

const SAMPLE_TRACKED_POOLS = `
  select account_id, pool_id from planned where place = 1 order by random() limit $1`;

const DELETE_PASSES = `
  delete from pool_passes pass using pools
  where pass.account_id = any($1) and pools.account_id = pass.account_id and pools.id = pass.pool_id
    and pools.created_at >= $2`;
