import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { BEFORE_ALL_IDS, type PageBounds, pagedListById } from "../../database/page.js";
import { prepareList } from "../../database/prepared-statement.js";
import { POOL_COLUMN_TYPES, POOL_COLUMNS, type PoolRow, poolOf } from "./pool-repository.js";

/** The pools of an account. */
export const POOLS = pagedListById<Pool>("pools");

/** Lists the pools of an account in the order of their creation; `after` is an id. */
export async function listPools(
  db: Executor,
  account: ResolvedAccount,
  { after = BEFORE_ALL_IDS, limit }: PageBounds,
): Promise<Pool[]> {
  const rows = await listPoolsStatement(db, { accountId: account.accountId, after, limit });
  return rows.map((row) => poolOf(account, row));
}

const listPoolsStatement = prepareList<{ accountId: number; after: string; limit: number }, PoolRow>(
  POOL_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom("pools")
      .select(POOL_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", ">", parameter("after"))
      .orderBy("id")
      .limit(sql<number>`${parameter("limit")}`),
);
