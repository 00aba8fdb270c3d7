import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { PoolService, type PoolSummary } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { createApiClient } from "../../api/client";
import { readListPages } from "../../api/list-pages";

/** A pool that has fewer call trackers than its size, because the inventory lacks free numbers with its area code. */
export interface UnfilledPool {
  readonly account: string;
  readonly pool: PoolSummary;
  readonly missing: number;
}

/** The pools that lack numbers. The pool with the most missing numbers comes first. */
export interface UnfilledPoolSearchResult {
  readonly pools: readonly UnfilledPool[];
  /** How many accounts were searched. */
  readonly accounts: number;
  /** Whether there are accounts that were not searched. */
  readonly hasMore: boolean;
}

const PARALLEL_REQUESTS = 4;

/** Finds the pools that lack numbers among the first `limit` active accounts. */
export async function findUnfilledPools(limit: number, signal: AbortSignal): Promise<UnfilledPoolSearchResult> {
  const { entries: accounts, isCut } = await readListPages(
    (page) => createApiClient(AccountService).listAccounts({ isActive: true, ...page }, { signal }),
    (page) => page.accounts,
    limit,
  );
  // The concurrent workers share this iterator, so that each account is read only once.
  const waiting = accounts.values();
  const pools: UnfilledPool[] = [];
  const work = async () => {
    for (const { accountToken: account } of waiting) {
      const { entries } = await readListPages(
        (page) => createApiClient(PoolService).listPoolSummaries({ accountId: account, ...page }, { signal }),
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
