import { NO_ACCOUNT_ID, type Principal, type PrincipalAccount, requireUnbound } from "@calltrack/domain";
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "./account-directory.js";

/** The key of the principal in the context of a request. The value is undefined for public methods and without authentication. */
export const principalKey = createContextKey<Principal | undefined>(undefined, { description: "principal" });

/** Returns the account to which the principal is bound; undefined if the principal may access all accounts. */
export function ownAccountOf(values: ContextValues): PrincipalAccount | undefined {
  return values.get(principalKey)?.account;
}

/**
 * Returns the account that a request names or, failing that, the account to which the principal is bound; undefined if there is neither.
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

/** @throws DomainError `CALLER_BOUND_TO_ACCOUNT` if the principal is bound to an account */
export function requireUnboundPrincipal(values: ContextValues): void {
  const principal = values.get(principalKey);
  if (principal !== undefined) requireUnbound(principal);
}
