import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { PoolService, type PoolSummary } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { listPages } from "../../api/list-pages";

/** A pool that the inventory cannot fill. */
export interface LackingPool {
  readonly account: string;
  readonly pool: PoolSummary;
  /** The count of numbers that it lacks. */
  readonly missing: number;
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
  // The workers share the iterator, so that each account is read by one of them.
  const waiting = accounts.values();
  const pools: LackingPool[] = [];
  const work = async () => {
    for (const { accountToken: account } of waiting) {
      const pages = listPages((pageToken) =>
        api(PoolService).listPoolSummaries({ accountId: account, pageSize: PAGE_SIZE, pageToken }, { signal }),
      );
      for await (const { poolSummaries } of pages) {
        for (const pool of poolSummaries) {
          const { missingNumbers: missing = 0 } = pool;
          if (missing > 0) pools.push({ account, pool, missing });
        }
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, work));
  pools.sort((one, other) => other.missing - one.missing);
  return { pools, accounts: accounts.length, hasMore: nextPageToken !== "" };
}
