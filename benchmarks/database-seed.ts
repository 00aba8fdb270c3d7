import type pg from "pg";
import { insertAccounts } from "./account-seed.ts";

const READ_ACCOUNTS = 5_000;
const WRITTEN_ACCOUNTS = 100;
const POOLS_PER_ACCOUNT = 20;
const SAMPLES = 1_000;

/** The initial content of the database: 100 000 pools, so that an index has more than one level. */
export interface DatabaseSeed {
  /** Random pools from accounts with 20 pools each. */
  readonly pools: readonly { readonly accountToken: string; readonly id: string }[];
  readonly writtenAccounts: readonly PoolOwner[];
  readonly disabledAccount: PoolOwner;
}

/** An account with a registered phone number, which the account's pools require. */
export interface PoolOwner {
  readonly accountToken: string;
  readonly phoneNumber: string;
}

/** Fills a database, which must be empty and have the current schema. */
export async function seedDatabase(client: pg.Client): Promise<DatabaseSeed> {
  await client.query("begin");
  await insertAccounts(client, READ_ACCOUNTS + WRITTEN_ACCOUNTS + 1);
  await client.query(INSERT_POOLS, [READ_ACCOUNTS, POOLS_PER_ACCOUNT]);
  await client.query("update accounts set is_active = false where id = $1", [READ_ACCOUNTS + WRITTEN_ACCOUNTS + 1]);
  await client.query("commit");
  await client.query("vacuum analyze");
  const pools = await client.query(SAMPLE_POOLS, [SAMPLES]);
  const { rows: others } = await client.query(ACCOUNTS_WITHOUT_POOLS, [READ_ACCOUNTS]);
  return { pools: pools.rows, writtenAccounts: others.slice(0, -1), disabledAccount: others.at(-1) };
}

export async function countCreatedPools(client: pg.Client): Promise<number> {
  const { rows } = await client.query("select count(*) from pools where account_id > $1", [READ_ACCOUNTS]);
  return Number(rows[0].count);
}

/** Deletes the rows that servers created and flushes pending writes, so that every round starts from the same state. */
export async function resetDatabase(client: pg.Client): Promise<void> {
  await client.query("delete from pool_passes where account_id > $1", [READ_ACCOUNTS]);
  await client.query("delete from pools where account_id > $1", [READ_ACCOUNTS]);
  await client.query("delete from audit_entries where account_id > $1", [READ_ACCOUNTS]);
  await client.query("vacuum analyze pools, pool_passes, audit_entries");
  await client.query("checkpoint");
}

const INSERT_POOLS = `
  insert into pools (account_id, original_number_id, area_code, description, is_dni, is_prompted, is_recorded, pool_type,
    property_token, size, utilization)
  select account_id, id, '030', 'Pool number ' || n, true, false, true, 'automanaged', 'prop_' || md5(account_id::text),
    10, 0.5
  from phone_numbers, generate_series(1, $2::integer) n
  where account_id <= $1
  order by n, account_id`;

const SAMPLE_POOLS = `
  select accounts.account_token as "accountToken", pools.id
  from pools join accounts on accounts.id = pools.account_id
  order by md5(pools.id::text) limit $1`;

const ACCOUNTS_WITHOUT_POOLS = `
  select account_token as "accountToken", phone_number as "phoneNumber"
  from accounts join phone_numbers on phone_numbers.account_id = accounts.id
  where accounts.id > $1 order by accounts.id`;
