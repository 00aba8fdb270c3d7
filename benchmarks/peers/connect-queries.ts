import type { Kysely } from "kysely";
import type { Schema } from "../../apps/server/dist/database/tables/schema.js";
import type { PoolRow } from "./pool-statements.ts";

const COLUMNS = [
  "pool.id",
  "pool.original_number_id",
  "pool.area_code",
  "pool.description",
  "pool.is_dni",
  "pool.is_prompted",
  "pool.is_recorded",
  "pool.pool_type",
  "pool.property_token",
  "pool.size",
  "pool.utilization",
  "pool.created_at",
  "pool.updated_at",
] as const;

/** Selects a pool by account and id. Returns no row if the account does not exist, and a row of nulls if the pool does not exist. */
export function findPoolRows(db: Kysely<Schema>, account: string, id: string): Promise<PoolRow[]> {
  return db
    .selectFrom("account_handles as handle")
    .leftJoin("pools as pool", (join) => join.onRef("pool.account_id", "=", "handle.account_id").on("pool.id", "=", id))
    .select(["handle.account_token", ...COLUMNS])
    .where("handle.handle", "=", account)
    .$castTo<PoolRow>()
    .execute();
}

/** Selects an account's pools, oldest first. Returns no row if the account does not exist, and a row of nulls if it has no pools. */
export function listPoolRows(db: Kysely<Schema>, account: string): Promise<PoolRow[]> {
  return db
    .selectFrom("account_handles as handle")
    .leftJoin("pools as pool", "pool.account_id", "handle.account_id")
    .select(["handle.account_token", ...COLUMNS])
    .where("handle.handle", "=", account)
    .orderBy("pool.id")
    .$castTo<PoolRow>()
    .execute();
}
