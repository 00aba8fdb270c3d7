import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { PoolService, type PoolSummary } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { api } from "../../api/client";
import { readList } from "../../api/list-pages";

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

/** Reads the pools of the active accounts, at most of `limit` of them. */
export async function findLackingPools(limit: number, signal: AbortSignal): Promise<LackingPools> {
  const { entries: accounts, isCut } = await readList(
    (page) => api(AccountService).listAccounts({ isActive: true, ...page }, { signal }),
    (page) => page.accounts,
    limit,
  );
  // The workers share the iterator, so that each account is read by one of them.
  const waiting = accounts.values();
  const pools: LackingPool[] = [];
  const work = async () => {
    for (const { accountToken: account } of waiting) {
      const { entries } = await readList(
        (page) => api(PoolService).listPoolSummaries({ accountId: account, ...page }, { signal }),
        ({ poolSummaries }) => poolSummaries,
      );
      for (const pool of entries) {
        const { missingNumbers: missing = 0 } = pool;
        if (missing > 0) pools.push({ account, pool, missing });
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_REQUESTS }, work));
  pools.sort((one, other) => other.missing - one.missing);
  return { pools, accounts: accounts.length, hasMore: isCut };
}
