import type { NewPool, PoolChange } from "@calltrack/domain";
import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { BEFORE_ALL_IDS, type PageBounds } from "../storage/page.js";
import type { Executor } from "../storage/prepared-statement.js";
import { timestampOf } from "../storage/timestamp.js";
import {
  findPrerequisitesStatement,
  findStatement,
  type InsertParameters,
  insertManyStatement,
  insertWithNumberStatement,
  listStatement,
  type PoolRow,
  updateStatement,
} from "./pool-statements.js";

/**
 * Creates pools, each on a registered phone number of an active account, in one statement: the accounts' rows are locked
 * against being disabled until the pools are there, so that none is ever created after a disabling was acknowledged.
 *
 * @returns for each, undefined if there is no such account, if it is disabled, or if it has not registered the number.
 */
export async function insertPools(db: Executor, pools: readonly NewPool[]): Promise<(Pool | undefined)[]> {
  const wanted = pools.map((pool, place) => ({ place, ...insertParametersOf(pool) }));
  const created: (Pool | undefined)[] = pools.map(() => undefined);
  for (const row of await insertManyStatement(db, { pools: JSON.stringify(wanted) })) created[row.place] = poolOf(row);
  return created;
}

/**
 * Creates a pool like `insertPools`, and registers the phone number in the same statement if the account has not.
 *
 * @returns undefined if there is no such account, if it is disabled, or if the number was registered in this very moment.
 * @throws the database's error for the check `phone_numbers_are_no_tracking_numbers` if the number is in the inventory.
 */
export async function insertPoolAndPhoneNumber(db: Executor, pool: NewPool): Promise<Pool | undefined> {
  const [row] = await insertWithNumberStatement(db, insertParametersOf(pool));
  return row && poolOf(row);
}

/** What must hold before a pool is created, or undefined if there is no account of this token or id. */
export async function findPrerequisites(
  db: Executor,
  account: string,
  originalNumber: string,
): Promise<{ readonly is_active: boolean; readonly is_registered: boolean } | undefined> {
  const [row] = await findPrerequisitesStatement(db, { account, originalNumber });
  return row;
}

/**
 * The pool of an account by its id.
 *
 * @param account the account's token or id.
 * @param id a UUID, or undefined for one that no pool has.
 * @returns `"no account"` if there is no such account, `"no pool"` if it has no such pool.
 */
export async function findPool(
  db: Executor,
  account: string,
  id: string | undefined,
): Promise<Pool | "no account" | "no pool"> {
  const [row] = await findStatement(db, { account, id: id ?? null });
  if (row === undefined) return "no account";
  return row.id === null ? "no pool" : poolOf(row);
}

/**
 * Pools of an account in the order of their creation, and the account's id as their owner; `after` is an id.
 *
 * @returns undefined if there is no such account.
 */
export async function listPools(
  db: Executor,
  account: string,
  { after, limit }: PageBounds,
): Promise<{ readonly owner: string; readonly entries: Pool[] } | undefined> {
  const rows = await listStatement(db, { account, after: after ?? BEFORE_ALL_IDS, limit });
  if (rows[0] === undefined) return undefined;
  return { owner: String(rows[0].account_id), entries: rows.filter((row) => row.id !== null).map(poolOf) };
}

/**
 * Applies a change to a pool; what is undefined keeps its value, and a manual pool's utilization stays null. `updated_at`
 * always moves.
 *
 * @param id a UUID, or undefined for one that no pool has.
 * @returns undefined if there is no such pool.
 * @throws the database's error if the pool is automanaged and the utilization not 0 to 1.
 */
export async function updatePool(db: Executor, id: string | undefined, change: PoolChange): Promise<Pool | undefined> {
  const [row] = await updateStatement(db, {
    account: change.account,
    id: id ?? null,
    areaCode: change.areaCode ?? null,
    size: change.size ?? null,
    utilization: change.utilization ?? null,
  });
  return row && poolOf(row);
}

function poolOf(row: PoolRow): Pool {
  return {
    $typeName: "calltracking.v1.Pool",
    id: row.id,
    originalNumberId: row.original_number_id,
    accountToken: row.account_token,
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
  };
}

function insertParametersOf(pool: NewPool): InsertParameters {
  return {
    account: pool.account,
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
