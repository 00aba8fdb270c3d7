import { signal } from "@preact/signals";

/** The principal to which the user's credential belongs, as reported by the server. */
export interface CallerIdentity {
  /** The account to which the principal is bound; undefined if the principal can access all accounts. */
  readonly accountToken: string | undefined;
  readonly description: string | undefined;
  /** Scope names, such as `read`. */
  readonly scopes: readonly string[];
}

/** The identity of the signed-in user; undefined until the server has returned it. */
export const callerIdentity = signal<CallerIdentity | undefined>(undefined);

/** Whether the signed-in user has a scope. The scope `admin` includes all other scopes. */
export function hasScope(scope: "read" | "write" | "dni" | "calls" | "admin"): boolean {
  const scopes = callerIdentity.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Whether the signed-in user may read resources that belong to no account, such as the inventory. */
export function seesAllAccounts(): boolean {
  return callerIdentity.value !== undefined && callerIdentity.value.accountToken === undefined;
}
