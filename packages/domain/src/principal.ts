import { DomainError } from "./domain-error.js";
import type { Scope } from "./scope.js";

/** The identity of a principal, as recorded in the audit log. */
export type Actor =
  | { readonly kind: "api_key"; readonly id: string; readonly prefix: string }
  | { readonly kind: "access_token"; readonly issuer: string; readonly subject: string }
  /** `name` is the certificate's subject. */
  | { readonly kind: "client_certificate"; readonly name: string }
  /** The server does not require authentication. */
  | { readonly kind: "anonymous" }
  /** A person with direct access to the database. */
  | { readonly kind: "operator" };

/** An authenticated client of the API and its permissions. */
export interface Principal {
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
  /** The account that the principal is bound to; undefined if it can access all accounts. */
  readonly account: PrincipalAccount | undefined;
  /** Time the credential expires; undefined if it does not expire, or if its expiry is unknown. */
  readonly expiresAt?: Date | undefined;
}

/** An account with both of its identifiers. */
export interface PrincipalAccount {
  /** `NO_ACCOUNT_ID` if the account does not exist yet. */
  readonly id: number;
  readonly token: string;
}

/** A placeholder id that no account has. */
export const NO_ACCOUNT_ID = -1;

/**
 * Rejects a principal that has neither of the given scopes.
 *
 * @throws DomainError `SCOPE_MISSING`, which names the first scope.
 */
export function requireScope({ scopes }: Principal, scope: Scope, orScope: Scope = "admin"): void {
  if (!scopes.has(scope) && !scopes.has(orScope) && !scopes.has("admin")) {
    throw new DomainError("SCOPE_MISSING", { scope });
  }
}

/**
 * Rejects a principal that is bound to an account. Guards methods that span accounts.
 *
 * @throws DomainError `CALLER_BOUND_TO_ACCOUNT`
 */
export function requireUnbound({ account }: Principal): void {
  if (account !== undefined) throw new DomainError("CALLER_BOUND_TO_ACCOUNT", { account: account.token });
}

/**
 * Rejects access to an account other than the one that the principal is bound to. The error is the same as for an account
 * that does not exist, so principals cannot probe for accounts.
 *
 * @param name token of the account, or its id in canonical decimal.
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export function requireOwnAccount({ account }: Principal, name: string): void {
  if (account === undefined || name === account.token) return;
  if (account.id === NO_ACCOUNT_ID || name !== String(account.id)) {
    throw new DomainError("ACCOUNT_NOT_FOUND", { account: name });
  }
}
