import { DomainError, parseUuid } from "@calltrack/domain";
import { accountNotFound } from "../accounts/account-service.js";
import { type PassedPoolRow, readPoolStatement } from "../call-trackers/pass-statements.js";
import type { Executor } from "../storage/prepared-statement.js";

/**
 * A pool with what a pass depends on, and how its last one went.
 *
 * @param account the account's token or id.
 * @throws DomainError `ACCOUNT_NOT_FOUND` or `POOL_NOT_FOUND`
 */
export async function requirePassedPool(
  db: Executor,
  account: string,
  poolId: string,
): Promise<Extract<PassedPoolRow, { pool_id: string }>> {
  const [row] = await readPoolStatement(db, { account, pool: parseUuid(poolId) ?? null });
  if (row === undefined) return accountNotFound(account);
  if (row.pool_id === null) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return row;
}
