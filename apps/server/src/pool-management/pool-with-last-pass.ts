import { DomainError, parseUuid } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../access/account-directory.js";
import { type PoolWithLastPassRow, readPoolStatement } from "./pass-statements.js";

/**
 * Reads a pool with the outcome of its last pass.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function requirePoolWithLastPass(
  db: Executor,
  { accountId }: ResolvedAccount,
  poolId: string,
): Promise<PoolWithLastPassRow> {
  const id = parseUuid(poolId);
  const [row] = id === undefined ? [] : await readPoolStatement(db, { account_id: accountId, pool_id: id });
  if (row === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return row;
}
