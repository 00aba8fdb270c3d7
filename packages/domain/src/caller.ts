import { DomainError } from "./domain-error.js";
import type { Scope } from "./scope.js";

/** The identity of a caller, as recorded in the audit log. */
export type Actor =
  | { readonly kind: "api_key"; readonly id: string; readonly prefix: string }
  | { readonly kind: "access_token"; readonly issuer: string; readonly subject: string }
  /** `name` is the certificate's subject. */
  | { readonly kind: "client_certificate"; readonly name: string }
  /** The server does not require authentication. */
  | { readonly kind: "anonymous" }
  /** A person with direct access to the database. */
  | { readonly kind: "operator" };

/** An authenticated caller and its permissions. */
export interface Caller {
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
  /** The account that the caller is bound to; undefined if it can access all accounts. */
  readonly account: CallerAccount | undefined;
  /** Time the credential expires; undefined if it does not expire, or if its expiry is unknown. */
  readonly expiresAt?: Date | undefined;
}

/** An account with both of its identifiers. */
export interface CallerAccount {
  /** `NO_ACCOUNT_ID` if the account does not exist yet. */
  readonly id: number;
  readonly token: string;
}

/** A placeholder id that no account has. */
export const NO_ACCOUNT_ID = -1;

/**
 * Rejects a caller that has neither of the given scopes.
 *
 * @throws DomainError `SCOPE_MISSING`, which names the first scope.
 */
export function requireScope({ scopes }: Caller, scope: Scope, orScope: Scope = "admin"): void {
  if (!scopes.has(scope) && !scopes.has(orScope) && !scopes.has("admin")) {
    throw new DomainError("SCOPE_MISSING", { scope });
  }
}

/**
 * Rejects a caller that is bound to an account. Guards methods that span accounts.
 *
 * @throws DomainError `CALLER_BOUND_TO_ACCOUNT`
 */
export function requireUnbound({ account }: Caller): void {
  if (account !== undefined) throw new DomainError("CALLER_BOUND_TO_ACCOUNT", { account: account.token });
}

/**
 * Rejects access to an account other than the one that the caller is bound to. The error is the same as for an account
 * that does not exist, so callers cannot probe for accounts.
 *
 * @param name token of the account, or its id in canonical decimal.
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export function requireOwnAccount({ account }: Caller, name: string): void {
  if (account === undefined || name === account.token) return;
  if (account.id === NO_ACCOUNT_ID || name !== String(account.id)) {
    throw new DomainError("ACCOUNT_NOT_FOUND", { account: name });
  }
}
