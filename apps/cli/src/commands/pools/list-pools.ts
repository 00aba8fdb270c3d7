import { type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { Invocation } from "../../invocation/invocation.js";

/** Reads an account's pools, up to `limit`, page by page. */
export function listPools(invocation: Invocation, accountId: string, limit?: number): AsyncGenerator<Pool[]> {
  const client = invocation.client(PoolService);
  return readListPages((page) => client.listPools({ accountId, ...page }), limit);
}
