import type { Caller, CallerAccount } from "@calltrack/domain";
import { type ContextValues, createContextKey } from "@connectrpc/connect";

/** The caller of a request. Undefined for public methods, and if authentication is disabled. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** Returns the account that the caller is bound to. Returns undefined if the caller may access all accounts. */
export function ownAccountOf(values: ContextValues): CallerAccount | undefined {
  return values.get(callerKey)?.account;
}
