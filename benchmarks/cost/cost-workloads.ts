import type pg from "pg";
import { insertAccounts } from "../account-seed.ts";
import { INSERT_HOLDERS } from "../tracking-number-holders.ts";
import { createPoolRequest } from "../workloads/json-workloads.ts";
import type { LoadRequest } from "../workloads/workload.ts";

/** The numbers of accounts in the workloads: requests go to one account, or are spread over 2000 accounts. */
export const ACCOUNT_COUNTS = [1, 2_000] as const;

/** Requests that each create one resource, and thereby one event. */
export interface CostWorkload {
  readonly title: string;
  /** Returns a request that was not sent before. */
  next(): LoadRequest;
}

/** Fills an empty database with accounts, each with a phone number and a call tracker. Returns the workloads that use the accounts. */
export async function seedCostWorkloads(client: pg.Client): Promise<readonly CostWorkload[]> {
  await client.query("set session_replication_role = replica");
  await insertAccounts(client, Math.max(...ACCOUNT_COUNTS));
  for (const statement of INSERT_CALL_TRACKERS) await client.query(statement);
  await client.query("vacuum (analyze)");
  const { rows } = await client.query<Seeded>(LIST_SEEDED);
  return ACCOUNT_COUNTS.flatMap((accounts) => [
    createPools(rows.slice(0, accounts)),
    recordCalls(rows.slice(0, accounts)),
  ]);
}

interface Seeded {
  readonly account_token: string;
  readonly phone_number: string;
  readonly tracking_number: string;
}

function createPools(accounts: readonly Seeded[]): CostWorkload {
  let sent = 0;
  return {
    title: `create a pool in ${nameAccounts(accounts)}`,
    next() {
      const { account_token: accountToken, phone_number: phoneNumber } = accounts[sent++ % accounts.length] as Seeded;
      return createPoolRequest({ accountToken, phoneNumber });
    },
  };
}

function recordCalls(accounts: readonly Seeded[]): CostWorkload {
  let sent = 0;
  return {
    title: `record a call in ${nameAccounts(accounts)}`,
    next() {
      const { tracking_number } = accounts[sent++ % accounts.length] as Seeded;
      const started_at = new Date().toISOString();
      const caller_number = `+1415${5_000_000 + (sent % 2_000_000)}`;
      const body = { call_id: `${accounts.length}-${sent}`, tracking_number, caller_number, started_at };
      return { method: "POST", path: "/dni_manager/calls", body: JSON.stringify(body) };
    },
  };
}

function nameAccounts({ length }: readonly Seeded[]): string {
  return length === 1 ? "one account" : `${length.toLocaleString("en")} accounts`;
}

const INSERT_CALL_TRACKERS = [
  `insert into pools (account_id, original_number_id, area_code, is_dni, is_prompted, is_recorded, pool_type, property_token, size, utilization)
   select account_id, id, '030', true, false, true, 'automanaged', 'shop', 1, 1 from phone_numbers`,
  `create temporary table planned as
   select account_id, id as pool_id, uuid_v7() as id, '+49' || (300000000 + account_id) as phone_number from pools`,
  `insert into tracking_numbers (phone_number, area_code, state, account_id, pool_id, call_tracker_id)
   select phone_number, '030', 'assigned', account_id, pool_id, id from planned`,
  `insert into call_trackers (account_id, pool_id, id, tracking_number, status, source, medium)
   select account_id, pool_id, id, phone_number, 'active', 'google', 'cpc' from planned`,
  INSERT_HOLDERS,
];

const LIST_SEEDED = `
  select account_token, number.phone_number, planned.phone_number as tracking_number
  from planned join accounts on accounts.id = planned.account_id
  join phone_numbers number on number.account_id = planned.account_id order by accounts.id`;
