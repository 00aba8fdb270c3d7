import { signal } from "@preact/signals";

/** The principal that the server identified by the credential. */
export interface Identity {
  /** The account to which the principal is bound; undefined if it sees all accounts. */
  readonly accountToken: string | undefined;
  readonly description: string | undefined;
  /** Scope names, such as `read`. */
  readonly scopes: readonly string[];
}

/** Undefined until the server has answered who the caller is. */
export const caller = signal<Identity | undefined>(undefined);

/** `admin` includes all other scopes. */
export function hasScope(scope: "read" | "write" | "dni" | "calls" | "admin"): boolean {
  const scopes = caller.value?.scopes ?? [];
  return scopes.includes(scope) || scopes.includes("admin");
}

/** Whether the caller may see things that belong to no account, such as the inventory. */
export function seesAllAccounts(): boolean {
  return caller.value !== undefined && caller.value.accountToken === undefined;
}
