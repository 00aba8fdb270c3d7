import { type CallerAccount, NO_ACCOUNT_ID } from "@calltrack/domain";
import type { ContextValues } from "@connectrpc/connect";
import type { AccountDirectory } from "./account-directory.js";
import { ownAccountOf } from "./caller-context.js";

/**
 * The account that a request names; where it names none, the one that the caller is bound to, or undefined if it is bound to none.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export async function findNamedOrOwnAccount(
  accounts: AccountDirectory,
  name: string | undefined,
  values: ContextValues,
): Promise<CallerAccount | undefined> {
  const own = ownAccountOf(values);
  if (name === undefined && own?.id !== NO_ACCOUNT_ID) return own;
  const { accountId: id, accountToken: token } = await accounts.require(name ?? (own as CallerAccount).token);
  return { id, token };
}
