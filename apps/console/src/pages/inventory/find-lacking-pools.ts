import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { PoolService, type PoolSummary } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";

/** A pool that the inventory cannot fill. */
export interface LackingPool {
  readonly account: string;
  readonly pool: PoolSummary;
}

/** The pools that lack numbers, among those of the accounts that were read. */
export interface LackingPools {
  readonly pools: readonly LackingPool[];
  readonly accounts: number;
  /** Whether there are further accounts. */
  readonly hasMore: boolean;
}

const PARALLEL_REQUESTS = 4;
const PAGE_SIZE = 1000;

/** Reads the pools of the active accounts, at most of `limit` of them. */
export async function findLackingPools(limit: number, signal: AbortSignal): Promise<LackingPools> {
  const { accounts, nextPageToken } = await api(AccountService).listAccounts(
    { isActive: true, pageSize: limit },
    { signal },
  );
  const waiting = accounts.map(({ accountToken }) => accountToken);
  const pools: LackingPool[] = [];
  const work = async () => {
    for (let account = waiting.shift(); account !== undefined; account = waiting.shift()) {
      for (const pool of await readPools(account, signal))
        if ((pool.missingNumbers ?? 0) > 0) pools.push({ account, pool });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, work));
  pools.sort((one, other) => (other.pool.missingNumbers ?? 0) - (one.pool.missingNumbers ?? 0));
  return { pools, accounts: accounts.length, hasMore: nextPageToken !== "" };
}

async function readPools(accountId: string, signal: AbortSignal): Promise<readonly PoolSummary[]> {
  const pools: PoolSummary[] = [];
  let pageToken: string | undefined;
  do {
    const page = await api(PoolService).listPoolSummaries({ accountId, pageSize: PAGE_SIZE, pageToken }, { signal });
    pools.push(...page.poolSummaries);
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined);
  return pools;
}
