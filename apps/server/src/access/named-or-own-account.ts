import { type CallerAccount, NOBODY } from "@calltrack/domain";
import type { ContextValues } from "@connectrpc/connect";
import type { AccountDirectory } from "./account-directory.js";
import { ownAccountOf } from "./caller-context.js";

/**
 * Returns the account that a request names, or else the account that the caller is bound to. Returns undefined if
 * there is neither.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export async function findNamedOrOwnAccount(
  accounts: AccountDirectory,
  name: string | undefined,
  values: ContextValues,
): Promise<CallerAccount | undefined> {
  const own = ownAccountOf(values);
  if (name === undefined && own?.id !== NOBODY) return own;
  const { accountId: id, accountToken: token } = await accounts.require(name ?? (own as CallerAccount).token);
  return { id, token };
}
