import { DomainError } from "./domain-error.js";

/** What callers may do, one name for each. `admin` includes the others; no other does. */
export const SCOPES = ["read", "write", "admin", "dni", "calls"] as const;

/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** Who somebody is, by what they have shown: for those who ask later who it was. */
export type Actor =
  | { readonly kind: "api_key"; readonly id: string; readonly prefix: string }
  | { readonly kind: "access_token"; readonly issuer: string; readonly subject: string }
  /** `name` is that of the subject. */
  | { readonly kind: "client_certificate"; readonly name: string }
  /** Where nobody is asked. */
  | { readonly kind: "anonymous" }
  /** Whoever has the database itself. */
  | { readonly kind: "operator" };

/** Who calls, and what the caller may do. */
export interface Caller {
  readonly actor: Actor;
  readonly scopes: ReadonlySet<Scope>;
  /** The account that the caller is bound to; undefined if it reaches all accounts. */
  readonly account: CallerAccount | undefined;
}

/** An account by both its names. */
export interface CallerAccount {
  /** `NOBODY` for one that is not there (yet). */
  readonly id: number;
  readonly token: string;
}

/** The id of no account, nor of what is of none. */
export const NOBODY = -1;

/**
 * Refuses a caller that lacks a scope, and the one that does as well.
 *
 * @throws DomainError `SCOPE_MISSING`, which names the first scope.
 */
export function requireScope({ scopes }: Caller, scope: Scope, orScope: Scope = "admin"): void {
  if (!scopes.has(scope) && !scopes.has(orScope) && !scopes.has("admin")) {
    throw new DomainError("SCOPE_MISSING", { scope });
  }
}

/**
 * Refuses a caller that is bound to an account what is not of any one account.
 *
 * @throws DomainError `CALLER_BOUND_TO_ACCOUNT`
 */
export function requireUnbound({ account }: Caller): void {
  if (account !== undefined) throw new DomainError("CALLER_BOUND_TO_ACCOUNT", { account: account.token });
}

/**
 * Refuses a caller an account other than its own, as if there were none of that name: any name that is neither of its own
 * account's two is another's, or nobody's.
 *
 * @param name a token or an id in canonical decimal.
 * @throws DomainError `ACCOUNT_NOT_FOUND`
 */
export function requireOwnAccount({ account }: Caller, name: string): void {
  if (account === undefined || name === account.token) return;
  if (account.id === NOBODY || name !== String(account.id)) {
    throw new DomainError("ACCOUNT_NOT_FOUND", { account: name });
  }
}
