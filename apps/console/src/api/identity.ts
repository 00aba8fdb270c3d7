import { type ApiKeyScope, ApiKeyScopeSchema } from "@calltrack/domain/gen/calltracking/v1/api_key_pb";
import type { Caller } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import { signal } from "@preact/signals";
import { enumName } from "../format/enum-text";

/** The caller as which the server knows this console; undefined until the server has told. */
export const caller = signal<Caller | undefined>(undefined);

/** Whether the caller has a scope. `admin` includes all others. */
export function hasScope(scope: "read" | "write" | "dni" | "calls" | "admin"): boolean {
  const names = scopeNames(caller.value?.scopes ?? []);
  return names.includes(scope) || names.includes("admin");
}

/** Returns the names of scopes, such as `read`. */
export function scopeNames(scopes: readonly ApiKeyScope[]): string[] {
  return scopes.map((scope) => enumName(ApiKeyScopeSchema, scope));
}

/** Whether the caller may see what belongs to no account, such as the inventory. */
export function seesAllAccounts(): boolean {
  return caller.value !== undefined && caller.value.accountToken === undefined;
}
