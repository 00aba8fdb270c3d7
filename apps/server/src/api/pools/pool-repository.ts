import type { NewPool, PoolChange } from "@calltrack/domain";
import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { findSoleAccount } from "../../database/distribution/find-sole-account.js";
import { formatEtag } from "../../database/etag.js";
import type { EtagCondition } from "../../database/etag-condition.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";
import {
  findPrerequisitesStatement,
  insertPoolAndNumberStatement,
  insertPoolsOfAccountStatement,
  insertPoolsStatement,
  type WantedPool,
} from "./pool-creation-statements.js";
import { findPoolStatement, type PoolRow, updatePoolStatement } from "./pool-statements.js";

/** A pool to create, its account, and the origin of the change. */
export interface PoolToInsert {
  readonly account: ResolvedAccount;
  readonly pool: NewPool;
  readonly origin: ChangeOrigin;
}

/**
 * Creates pools on registered phone numbers of active accounts in one statement. It locks the accounts until the
 * pools exist, so that no pool is created after the disabling of its account was acknowledged.
 *
 * @returns for each pool, undefined if its account is disabled or has not registered the number.
 */
export async function insertPools(db: Executor, pools: readonly PoolToInsert[]): Promise<(Pool | undefined)[]> {
  const values = { pools: JSON.stringify(pools.map(wantedPoolOf)) };
  const accountIds = pools.map(({ account }) => account.accountId);
  const accountId = findSoleAccount(accountIds);
  const rows = await (accountId === undefined
    ? insertPoolsStatement(db, { ...values, accountIds })
    : insertPoolsOfAccountStatement(db, { ...values, accountId }));
  const created: (Pool | undefined)[] = pools.map(() => undefined);
  for (const row of rows) {
    created[row.place] = poolOf((pools[row.place] as PoolToInsert).account, row);
  }
  return created;
}

/**
 * Creates a pool like `insertPools`. Also registers the phone number if the account has not.
 *
 * @returns undefined if the account is disabled, or if a concurrent request registered the number.
 * @throws the database's error for the check `phone_numbers_are_no_tracking_numbers` if the number is in the
 *   inventory.
 */
export async function insertPoolAndPhoneNumber(db: Executor, pool: PoolToInsert): Promise<Pool | undefined> {
  const [row] = await insertPoolAndNumberStatement(db, {
    pools: JSON.stringify([wantedPoolOf(pool, 0)]),
    accountId: pool.account.accountId,
    originalNumber: pool.pool.originalNumber,
    origin: JSON.stringify(pool.origin),
  });
  return row && poolOf(pool.account, row);
}

/**
 * Returns whether the account is active, and which of the numbers it has registered. A pool can only be created on a
 * registered number of an active account.
 */
export async function findPoolPrerequisites(
  db: Executor,
  { accountId }: ResolvedAccount,
  originalNumbers: readonly string[],
): Promise<{ readonly isActive: boolean; readonly registered: ReadonlySet<string> }> {
  const [row] = await findPrerequisitesStatement(db, { accountId, originalNumbers });
  // Accounts are never deleted, so there is a row.
  return { isActive: row?.is_active ?? false, registered: new Set(row?.registered) };
}

/**
 * Finds a pool of an account by its id. Returns undefined if there is none.
 *
 * @param id a UUID; undefined if the requested id is not one.
 */
export async function findPool(
  db: Executor,
  account: ResolvedAccount,
  id: string | undefined,
): Promise<Pool | undefined> {
  if (id === undefined) return undefined;
  const [row] = await findPoolStatement(db, { accountId: account.accountId, id });
  return row && poolOf(account, row);
}

/**
 * Updates a pool. Undefined fields keep their values, and the utilization of a manual pool stays null. Always
 * advances `updated_at`.
 *
 * @param id a UUID; undefined if the requested id is not one.
 * @returns undefined if there is no such pool, or if the etag condition fails.
 * @throws the database's error if the pool is automanaged and the utilization is not between 0 and 1.
 */
export async function updatePool(
  db: Executor,
  account: ResolvedAccount,
  id: string | undefined,
  { areaCode, size, utilization }: PoolChange,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Pool | undefined> {
  if (id === undefined) return undefined;
  const [row] = await updatePoolStatement(db, {
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

/** Makes the message of a pool. */
export function poolOf({ accountToken }: ResolvedAccount, row: PoolRow): Pool {
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
    etag: formatEtag(row.updated_at),
  };
}

function wantedPoolOf({ account, pool, origin }: PoolToInsert, place: number): WantedPool {
  return {
    place,
    account_id: account.accountId,
    original_number: pool.originalNumber,
    area_code: pool.areaCode,
    description: pool.description ?? null,
    is_dni: pool.isDni,
    is_prompted: pool.isPrompted,
    is_recorded: pool.isRecorded,
    pool_type: pool.poolType === PoolType.MANUAL ? "manual" : "automanaged",
    property_token: pool.propertyToken ?? null,
    size: pool.size,
    utilization: pool.utilization ?? null,
    ...origin,
  };
}
