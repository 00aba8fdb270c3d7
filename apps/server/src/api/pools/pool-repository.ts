import type { NewPool, PoolChange } from "@calltrack/domain";
import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor } from "@calltrack/postgres";
import type { NamedAccount } from "../../access/account-directory.js";
import { soleAccount } from "../../database/distribution/sole-account.js";
import { etagOf } from "../../database/etag.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import { BEFORE_ALL_IDS, type PageBounds } from "../../database/page.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  findPrerequisitesStatement,
  type InsertParameters,
  insertManyOfAccountStatement,
  insertManyStatement,
  insertWithNumberStatement,
} from "./pool-creation-statements.js";
import { findStatement, listStatement, type PoolRow, updateStatement } from "./pool-statements.js";

/** A pool to be created, and whose. */
export interface OwnedPool {
  readonly account: NamedAccount;
  readonly pool: NewPool;
  readonly origin: ChangeOrigin;
}

/**
 * Creates pools, each on a registered phone number of an active account, in one statement: the accounts' rows are locked
 * against being disabled until the pools are there, so that none is ever created after a disabling was acknowledged.
 *
 * @returns for each, undefined if its account is disabled, or has not registered the number.
 */
export async function insertPools(db: Executor, pools: readonly OwnedPool[]): Promise<(Pool | undefined)[]> {
  const wanted = pools.map(({ account, pool, origin }, place) => ({
    place,
    ...insertParametersOf(account, pool),
    ...origin,
  }));
  const values = { pools: JSON.stringify(wanted) };
  const accountIds = pools.map(({ account }) => account.accountId);
  const accountId = soleAccount(accountIds);
  const rows = await (accountId === undefined
    ? insertManyStatement(db, { ...values, accountIds })
    : insertManyOfAccountStatement(db, { ...values, accountId }));
  const created: (Pool | undefined)[] = pools.map(() => undefined);
  for (const row of rows) {
    created[row.place] = poolOf((pools[row.place] as OwnedPool).account, row);
  }
  return created;
}

/**
 * Creates a pool like `insertPools`, and registers the phone number in the same statement if the account has not.
 *
 * @returns undefined if the account is disabled, or if the number was registered in this very moment.
 * @throws the database's error for the check `phone_numbers_are_no_tracking_numbers` if the number is in the inventory.
 */
export async function insertPoolAndPhoneNumber(
  db: Executor,
  { account, pool, origin }: OwnedPool,
): Promise<Pool | undefined> {
  const parameters = { ...insertParametersOf(account, pool), origin: JSON.stringify(origin) };
  const [row] = await insertWithNumberStatement(db, parameters);
  return row && poolOf(account, row);
}

/** What must hold before a pool is created. */
export async function findPrerequisites(
  db: Executor,
  { accountId }: NamedAccount,
  originalNumber: string,
): Promise<{ readonly is_active: boolean; readonly is_registered: boolean }> {
  const [row] = await findPrerequisitesStatement(db, { accountId, originalNumber });
  // An account is never deleted.
  return row as { is_active: boolean; is_registered: boolean };
}

/**
 * The pool of an account by its id, or undefined.
 *
 * @param id a UUID, or undefined for one that no pool has.
 */
export async function findPool(db: Executor, account: NamedAccount, id: string | undefined): Promise<Pool | undefined> {
  if (id === undefined) return undefined;
  const [row] = await findStatement(db, { accountId: account.accountId, id });
  return row && poolOf(account, row);
}

/** Pools of an account in the order of their creation; `after` is an id. */
export async function listPools(db: Executor, account: NamedAccount, { after, limit }: PageBounds): Promise<Pool[]> {
  const rows = await listStatement(db, { accountId: account.accountId, after: after ?? BEFORE_ALL_IDS, limit });
  return rows.map((row) => poolOf(account, row));
}

/**
 * Applies a change to a pool; what is undefined keeps its value, and a manual pool's utilization stays null. `updated_at`
 * always moves.
 *
 * @param id a UUID, or undefined for one that no pool has.
 * @returns undefined if there is no such pool, or if it does not fulfil the condition.
 * @throws the database's error if the pool is automanaged and the utilization not 0 to 1.
 */
export async function updatePool(
  db: Executor,
  account: NamedAccount,
  id: string | undefined,
  { areaCode, size, utilization }: PoolChange,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Pool | undefined> {
  if (id === undefined) return undefined;
  const [row] = await updateStatement(db, {
    accountId: account.accountId,
    id,
    areaCode: areaCode ?? null,
    size: size ?? null,
    utilization: utilization ?? null,
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && poolOf(account, row);
}

function poolOf({ accountToken }: NamedAccount, row: PoolRow): Pool {
  return {
    $typeName: "calltracking.v1.Pool",
    id: row.id,
    originalNumberId: row.original_number_id,
    accountToken,
    areaCode: row.area_code,
    description: row.description ?? undefined,
    isDni: row.is_dni,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    poolType: row.pool_type === "manual" ? PoolType.MANUAL : PoolType.AUTOMANAGED,
    propertyToken: row.property_token ?? undefined,
    size: row.size,
    utilization: row.utilization ?? undefined,
    createdAt: timestampOf(row.created_at),
    updatedAt: timestampOf(row.updated_at),
    etag: etagOf(row.updated_at),
  };
}

function insertParametersOf({ accountId }: NamedAccount, pool: NewPool): InsertParameters {
  return {
    accountId,
    originalNumber: pool.originalNumber,
    areaCode: pool.areaCode,
    description: pool.description ?? null,
    isDni: pool.isDni,
    isPrompted: pool.isPrompted,
    isRecorded: pool.isRecorded,
    poolType: pool.poolType === PoolType.MANUAL ? "manual" : "automanaged",
    propertyToken: pool.propertyToken ?? null,
    size: pool.size,
    utilization: pool.utilization ?? null,
  };
}
