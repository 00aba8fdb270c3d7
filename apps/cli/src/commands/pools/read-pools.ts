import { type Pool, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Page, PageRequest } from "../../connection/list-pages.js";
import type { Invocation } from "../../invocation/invocation.js";

/** Returns a function that reads one page of an account's pools. */
export function readPools(invocation: Invocation, accountId: string): (request: PageRequest) => Promise<Page<Pool>> {
  const client = invocation.client(PoolService);
  return async (request) => {
    const { pools, nextPageToken } = await client.listPools({ accountId, ...request }, invocation.call);
    return { items: pools, nextPageToken };
  };
}
