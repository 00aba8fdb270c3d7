import { type Caller, type CallerAccount, NO_ACCOUNT_ID } from "@calltrack/domain";
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "./account-directory.js";

/** The caller of a request. Undefined for public methods, and if authentication is disabled. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** Returns the account that the caller is bound to. Returns undefined if the caller may access all accounts. */
export function ownAccountOf(values: ContextValues): CallerAccount | undefined {
  return values.get(callerKey)?.account;
}

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
): Promise<ResolvedAccount | undefined> {
  const own = ownAccountOf(values);
  if (name !== undefined) return accounts.require(name);
  if (own?.id === NO_ACCOUNT_ID) return accounts.require(own.token);
  return own && { accountId: own.id, accountToken: own.token };
}
