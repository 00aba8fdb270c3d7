import { ListPoolsResponseSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Executor, type ListRow, readListRow } from "@calltrack/postgres";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { BEFORE_ALL_IDS, type PageBounds, type PagedList, pagedListById } from "../../database/page.js";
import { createListResponder } from "../../database/stored-messages/list-response.js";
import { poolOf } from "./pool-repository.js";
import { listPoolsStatement, type PoolRow } from "./pool-statements.js";

/** The pools of an account. */
export const POOLS: PagedList<ListRow<PoolRow>> = { ...pagedListById("pools"), keyOf: (row) => readListRow(row).id };

/** Creates a response of ListPools with pools of an account. */
export const createListPoolsResponse = createListResponder<typeof ListPoolsResponseSchema, PoolRow, ResolvedAccount>({
  schema: ListPoolsResponseSchema,
  list: "pools",
  messageOf: poolOf,
});

/** Lists the pools of an account in the order of their creation; `after` is an id. */
export function listPools(
  db: Executor,
  { accountId }: ResolvedAccount,
  { after, limit }: PageBounds,
): Promise<ListRow<PoolRow>[]> {
  return listPoolsStatement(db, { accountId, after: after ?? BEFORE_ALL_IDS, limit });
}
