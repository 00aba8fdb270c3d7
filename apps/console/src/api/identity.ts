import { signal } from "@preact/signals";

/** The caller as which the server knows this console. */
export interface Identity {
  /** The account to which the caller is bound; undefined if it sees all. */
  readonly accountToken: string | undefined;
  readonly description: string | undefined;
  /** The names of its scopes, such as `read`. */
  readonly scopes: readonly string[];
}

/** Undefined until the server has told who the caller is. */
export const caller = signal<Identity | undefined>(undefined);

/** Whether the caller has a scope. `admin` includes all others. */
export function hasScope(scope: "read" | "write" | "dni" | "calls" | "admin"): boolean {
  const scopes = caller.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Whether the caller may see what belongs to no account, such as the inventory. */
export function seesAllAccounts(): boolean {
  return caller.value !== undefined && caller.value.accountToken === undefined;
}
