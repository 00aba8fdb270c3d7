import { DomainError } from "./domain-error.js";
import type { Scope } from "./scope.js";

/** The identity of a principal, according to its credential. The audit log records the identity. */
export type PrincipalIdentity =
  | { readonly kind: "api_key"; readonly id: string; readonly prefix: string }
  | { readonly kind: "access_token"; readonly issuer: string; readonly subject: string }
  /** `name` is the subject of the client certificate. */
  | { readonly kind: "client_certificate"; readonly name: string }
  /** A client that did not authenticate, because the server does not require authentication. */
  | { readonly kind: "anonymous" }
  /** A person who changed the database directly, on the server's command line. */
  | { readonly kind: "operator" };

/** A client of the API, and its permissions. The client is authenticated if the server requires authentication. */
export interface Principal {
  readonly actor: PrincipalIdentity;
  readonly scopes: ReadonlySet<Scope>;
  /** The account that the principal is bound to; undefined if it can access all accounts. */
  readonly account: PrincipalAccount | undefined;
  /** When the principal's credential expires; undefined if it does not expire, or if its expiry is unknown. */
  readonly expiresAt?: Date | undefined;
}

/** An account with both of its identifiers: the service's id and the platform's token. */
export interface PrincipalAccount {
  /** The account's id; `NONEXISTENT_ACCOUNT_ID` if the account does not exist yet. */
  readonly id: number;
  readonly token: string;
}

/** An id that no account has: ids are positive. */
export const NONEXISTENT_ACCOUNT_ID = -1;

/** Requires that a principal has `scope`, `orScope` or `admin`. Otherwise throws DomainError `SCOPE_MISSING`, which names `scope`. */
export function requireScope({ scopes }: Principal, scope: Scope, orScope: Scope = "admin"): void {
  if (!scopes.has(scope) && !scopes.has(orScope) && !scopes.has("admin")) {
    throw new DomainError("SCOPE_MISSING", { scope });
  }
}

/** Throws DomainError `CALLER_BOUND_TO_ACCOUNT` if a principal is bound to an account. Protects methods that concern several accounts. */
export function rejectAccountBoundPrincipal({ account }: Principal): void {
  if (account !== undefined) throw new DomainError("CALLER_BOUND_TO_ACCOUNT", { account: account.token });
}

/**
 * Requires that a principal is bound to the named account, or to no account. The error is the same as for an account that does not exist, so
 * that principals cannot find out which accounts exist.
 *
 * @param name the token of the account, or its id in canonical decimal.
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export function requireAccessibleAccount({ account }: Principal, name: string): void {
  if (account === undefined || name === account.token) return;
  if (account.id === NONEXISTENT_ACCOUNT_ID || name !== String(account.id)) {
    throw new DomainError("ACCOUNT_NOT_FOUND", { account: name });
  }
}
