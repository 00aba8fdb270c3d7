import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { createAuthenticator } from "./authenticator.js";
import type { MethodAccessLookup } from "./method-access.js";
import type { RateLimits } from "./rate-limits.js";
import { createRequestGate } from "./request-gate.js";
import { requireAccountAccess } from "./require-account-access.js";

/** Authenticates and authorizes the callers of RPCs, over every protocol. */
export type AccessGuard = ReturnType<typeof createAccessGuard>;

/** @param settings how callers authenticate; undefined to disable authentication. */
export function createAccessGuard(
  settings: AuthSettings | undefined,
  accessOf: MethodAccessLookup,
  db: Executor,
  accounts: AccountDirectory,
  rates: RateLimits,
  log: Logger,
) {
  const authenticator = settings && createAuthenticator(settings, db, accounts, log);
  const isGated = authenticator !== undefined || rates.countsAddresses;
  return {
    /** Rejects callers that may not call the method, before the request body is read. Undefined if there is nothing to check. */
    requestGate: isGated ? createRequestGate(accessOf, authenticator?.authenticate, rates, log) : undefined,
    /** Rejects requests for other accounts than the principal's own. Undefined without authentication. */
    requireAccountAccess: authenticator && requireAccountAccess,
    /** Writes the last-use times of API keys that are not in the database yet. */
    close: async () => authenticator?.close(),
  };
}
