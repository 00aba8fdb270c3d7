import { DomainError, parseUuid } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { NamedAccount } from "../access/account-directory.js";
import { type PassedPoolRow, readPoolStatement } from "./pass-statements.js";

/**
 * A pool with what a pass depends on, and how its last one went.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function requirePassedPool(
  db: Executor,
  { accountId }: NamedAccount,
  poolId: string,
): Promise<PassedPoolRow> {
  const id = parseUuid(poolId);
  const [row] = id === undefined ? [] : await readPoolStatement(db, { account_id: accountId, pool_id: id });
  if (row === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return row;
}
