import type { Pool } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { createPagedListById, NIL_UUID, type PageBounds } from "../../database/page.js";
import { prepareList, type QueryBuilder } from "../../database/prepared-statement.js";
import { POOL_COLUMN_TYPES, POOL_COLUMNS, type PoolRow, toPoolMessage } from "./pool-repository.js";

export const POOL_PAGED_LIST = createPagedListById<Pool>("pools");

/** Lists the pools of an account in the order of their creation, after the one with the id `after`. */
export async function listPools(
  db: Executor,
  account: ResolvedAccount,
  { after = NIL_UUID, limit }: PageBounds,
): Promise<Pool[]> {
  const list = limit <= MAX_SHARED_POOLS ? listFewPoolsStatement : listPoolsStatement;
  const rows = await list(db, { accountId: account.accountId, after, limit });
  return rows.map((row) => toPoolMessage(account, row));
}

/** Concurrent lists of up to this many pools share a statement. Parsing several larger lists at once would delay other requests. */
const MAX_SHARED_POOLS = 101;

type ListParameters = { accountId: number; after: string; limit: number };

const listPoolsStatement = prepareList<ListParameters, PoolRow>(POOL_COLUMN_TYPES, selectPage);
const listFewPoolsStatement = prepareList<ListParameters, PoolRow>(POOL_COLUMN_TYPES, selectPage, {
  accountId: "integer",
  after: "uuid",
  limit: "integer",
});

function selectPage(db: QueryBuilder, parameter: ParameterGetter<ListParameters>) {
  return db
    .selectFrom("pools")
    .select(POOL_COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where("id", ">", parameter("after"))
    .orderBy("id")
    .limit(sql<number>`${parameter("limit")}`);
}
