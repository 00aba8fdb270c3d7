import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { createAuthenticator } from "./authenticator.js";
import { ClientRateLimiter } from "./client-rate-limiter.js";
import type { MethodAccessLookup } from "./method-access.js";
import { createRequestGate } from "./request-gate.js";
import { requireAccountAccess } from "./require-account-access.js";

/** Authenticates and authorizes the clients that send RPCs, over every protocol. */
export type AccessGuard = ReturnType<typeof createAccessGuard>;

/**
 * @param settings how clients authenticate; undefined to disable authentication.
 */
export function createAccessGuard(
  settings: AuthSettings | undefined,
  accessOf: MethodAccessLookup,
  db: Executor,
  accounts: AccountDirectory,
  rates: ClientRateLimiter,
  log: Logger,
) {
  const authenticator = settings && createAuthenticator(settings, db, accounts, log);
  const unlimited = new ClientRateLimiter({
    callerRate: undefined,
    addressRate: undefined,
    trustedProxies: () => false,
  });
  const isGated = authenticator !== undefined || rates.countsAddresses;
  return {
    /**
     * Rejects clients that may not use the method, before the request body is read. Undefined if neither authentication nor a rate limit per client
     * address is enabled.
     */
    requestGate: isGated ? createRequestGate(accessOf, authenticator?.authenticate, rates, log) : undefined,
    /** Checks the credentials of an open stream again, without counting toward rate limits. Undefined without authentication. */
    readmit: authenticator && createRequestGate(accessOf, authenticator.authenticate, unlimited, log),
    /** Rejects requests that name another account than the one to which the principal is bound. Undefined without authentication. */
    requireAccountAccess: authenticator && requireAccountAccess,
    /** Writes the last-use times of API keys to the database, except those that are already there. */
    close: async () => authenticator?.close(),
  };
}
