import type { Caller, CallerAccount } from "@calltrack/domain";
import { type ContextValues, createContextKey } from "@connectrpc/connect";

/** Who makes a request. Undefined where nobody is asked: for what is public, and in a server that asks nobody. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** The account that the caller of a request is bound to; undefined if it reaches all accounts. */
export function ownAccountOf(values: ContextValues): CallerAccount | undefined {
  return values.get(callerKey)?.account;
}
