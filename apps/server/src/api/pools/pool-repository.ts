import { DomainError, type PoolUpdate, parseUuid } from "@calltrack/domain";
import { type Pool, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Executor, listColumnNames } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { clockNowExpression } from "../../clock/clock.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { formatEtag } from "../../database/etag.js";
import { buildEtagConditionSql, type EtagCondition } from "../../database/etag-condition.js";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import { createStoredEnum } from "../../database/stored-enum.js";
import type { ChangeOrigin, PoolTable } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";
import { nextUpdateTimeExpression } from "../../database/update-time.js";

const TYPES = createStoredEnum(PoolType);

/** The columns of the table `pools` that the API returns, with their types. */
export const POOL_COLUMN_TYPES = {
  id: "text",
  original_number_id: "text",
  area_code: "text",
  description: "text",
  is_dni: "value",
  is_prompted: "value",
  is_recorded: "value",
  pool_type: "text",
  property_token: "text",
  size: "value",
  utilization: "value",
  created_at: "time",
  updated_at: "time",
} as const;

export const POOL_COLUMNS = listColumnNames(POOL_COLUMN_TYPES);

export const POOL_AUDIT_OPTIONS = { type: "pool", columns: POOL_COLUMNS } as const;

export type PoolRow = Pick<Selectable<PoolTable>, (typeof POOL_COLUMNS)[number]>;

export async function findPool(db: Executor, account: ResolvedAccount, poolId: string): Promise<Pool | undefined> {
  const id = parseUuid(poolId);
  if (id === undefined) return undefined;
  const [row] = await findPoolStatement(db, { accountId: account.accountId, id });
  return row && toPoolMessage(account, row);
}

/** Like `findPool`, but throws DomainError `POOL_NOT_FOUND` if there is no such pool. */
export async function requirePool(db: Executor, account: ResolvedAccount, poolId: string): Promise<Pool> {
  const found = await findPool(db, account, poolId);
  if (found === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return found;
}

const findPoolStatement = prepareLookup<{ accountId: number; id: string }, PoolRow>(
  { accountId: "integer", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("pools")
      .select(POOL_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("id")),
);

/**
 * Updates a pool. Undefined fields keep their values, and the utilization of a manual pool stays null. Always advances `updated_at`.
 *
 * @returns undefined if there is no such pool, or if the etag condition fails.
 * @throws the database's error if the pool is automanaged and the utilization is not between 0 and 1
 */
export async function updatePool(
  db: Executor,
  account: ResolvedAccount,
  change: PoolUpdate,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Pool | undefined> {
  const id = parseUuid(change.poolId);
  if (id === undefined) return undefined;
  const { areaCode = null, size = null, utilization = null } = change;
  const [row] = await updatePoolStatement(db, {
    ...{ accountId: account.accountId, id, areaCode, size, utilization },
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && toPoolMessage(account, row);
}

/** A null field keeps the value of its column. */
interface UpdateParameters extends EtagCondition {
  accountId: number;
  id: string;
  areaCode: string | null;
  size: number | null;
  utilization: number | null;
  origin: string;
}

const updatePoolStatement = prepareStatement<UpdateParameters, PoolRow>((db, parameter) =>
  buildAuditedUpdate(db, "pools", {
    ...POOL_AUDIT_OPTIONS,
    key: { account_id: parameter("accountId"), id: parameter("id") },
    condition: buildEtagConditionSql(parameter),
    set: {
      area_code: sql<string>`coalesce(${parameter("areaCode")}, area_code)`,
      size: sql<number>`coalesce(${parameter("size")}, size)`,
      utilization: sql<number | null>`
        case when pool_type = 'manual' then null else coalesce(${parameter("utilization")}, utilization) end`,
      updated_at: nextUpdateTimeExpression,
    },
    returning: POOL_COLUMNS,
    event: { type: "pool.updated", resourceId: sql.ref("updated.id") },
    accountId: parameter("accountId"),
    origin: parameter("origin"),
  })
    .with("passes", (cte) =>
      cte
        .updateTable("pool_passes as pass")
        .from("updated")
        .set({ due_at: clockNowExpression })
        .where("pass.account_id", "=", parameter("accountId"))
        .whereRef("pass.pool_id", "=", "updated.id")
        .returning("pass.pool_id"),
    )
    .selectFrom("updated")
    .select(POOL_COLUMNS),
);

export function toPoolMessage({ accountToken }: ResolvedAccount, row: PoolRow): Pool {
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
    poolType: TYPES[row.pool_type],
    propertyToken: row.property_token ?? undefined,
    size: row.size,
    utilization: row.utilization ?? undefined,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
