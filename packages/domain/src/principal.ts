import { DomainError } from "./domain-error.js";
import type { Scope } from "./scope.js";

/** The identity of a principal, as the audit log records it. */
export type Actor =
  | { readonly kind: "api_key"; readonly id: string; readonly prefix: string }
  | { readonly kind: "access_token"; readonly issuer: string; readonly subject: string }
  /** `name` is the subject of the certificate. */
  | { readonly kind: "client_certificate"; readonly name: string }
  /** The server does not require authentication. */
  | { readonly kind: "anonymous" }
  /** A person with direct access to the database. */
  | { readonly kind: "operator" };

/** A client of the API, authenticated as far as the server requires it, and its permissions. */
export interface Principal {
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
  /** The account that the principal is bound to; undefined if it can access all accounts. */
  readonly account: PrincipalAccount | undefined;
  /** When the credential expires; undefined if it does not expire, or if that is unknown. */
  readonly expiresAt?: Date | undefined;
}

/** An account with both of its identifiers. */
export interface PrincipalAccount {
  /** `NO_ACCOUNT_ID` if the account does not exist yet. */
  readonly id: number;
  readonly token: string;
}

/** An id that no account has. */
export const NO_ACCOUNT_ID = -1;

/** Throws DomainError `SCOPE_MISSING`, which names the first scope, if a principal has neither of the given scopes nor `admin`. */
export function requireScope({ scopes }: Principal, scope: Scope, orScope: Scope = "admin"): void {
  if (!scopes.has(scope) && !scopes.has(orScope) && !scopes.has("admin")) {
    throw new DomainError("SCOPE_MISSING", { scope });
  }
}

/** Throws DomainError `CALLER_BOUND_TO_ACCOUNT` if a principal is bound to an account. For methods that concern several accounts. */
export function requireUnbound({ account }: Principal): void {
  if (account !== undefined) throw new DomainError("CALLER_BOUND_TO_ACCOUNT", { account: account.token });
}

/**
 * Rejects access to any account but the one to which the principal is bound. The error is the same as for an account that does not exist, so
 * that principals cannot probe for accounts.
 *
 * @param name the account's token, or its id in canonical decimal.
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export function requireOwnAccount({ account }: Principal, name: string): void {
  if (account === undefined || name === account.token) return;
  if (account.id === NO_ACCOUNT_ID || name !== String(account.id)) {
    throw new DomainError("ACCOUNT_NOT_FOUND", { account: name });
  }
}
