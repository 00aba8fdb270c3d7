import {
  NONEXISTENT_ACCOUNT_ID,
  type Principal,
  type PrincipalAccount,
  rejectAccountBoundPrincipal,
} from "@calltrack/domain";
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import type { AccountDirectory, ResolvedAccount } from "./account-directory.js";

/** Finds the principal in the context of a request. The principal is undefined for public methods and without authentication. */
export const principalContextKey = createContextKey<Principal | undefined>(undefined, { description: "principal" });

/** Returns the account to which the principal is bound; undefined if the principal may access all accounts. */
export function findAccountOfPrincipal(values: ContextValues): PrincipalAccount | undefined {
  return values.get(principalContextKey)?.account;
}

/**
 * Returns the account that a request names or, failing that, the account to which the principal is bound. Returns undefined without either.
 *
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export async function findAccountByNameOrPrincipal(
  accounts: AccountDirectory,
  name: string | undefined,
  values: ContextValues,
): Promise<ResolvedAccount | undefined> {
  const own = findAccountOfPrincipal(values);
  if (name !== undefined) return accounts.require(name);
  if (own?.id === NONEXISTENT_ACCOUNT_ID) return accounts.require(own.token);
  return own && { accountId: own.id, accountToken: own.token };
}

/** @throws DomainError `CALLER_BOUND_TO_ACCOUNT` if the principal is bound to an account */
export function requireUnboundPrincipal(values: ContextValues): void {
  const principal = values.get(principalContextKey);
  if (principal !== undefined) rejectAccountBoundPrincipal(principal);
}
