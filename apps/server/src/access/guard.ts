import type { Executor } from "@calltrack/postgres";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { createAuthenticator } from "./authenticator.js";
import type { AccessRules } from "./method-access.js";
import { checkAccount } from "./own-account.js";
import type { RateLimits } from "./rate-limits.js";
import { createRequestGate } from "./request-gate.js";

/** Authenticates and authorizes principals over every protocol. */
export type Guard = ReturnType<typeof createGuard>;

/** @param settings undefined to disable authentication. */
export function createGuard(
  settings: AuthSettings | undefined,
  accessOf: AccessRules,
  db: Executor,
  accounts: AccountDirectory,
  rates: RateLimits,
  log: Logger,
) {
  const authenticator = settings && createAuthenticator(settings, db, accounts, log);
  const isGated = authenticator !== undefined || rates.countsAddresses;
  return {
    /** Runs before the request body is read. Rejects principals that may not call the method. Undefined if there is nothing to check. */
    requestGate: isGated ? createRequestGate(accessOf, authenticator?.authenticate, rates, log) : undefined,
    /** Runs before each request is parsed. Undefined without authentication. */
    checkAccount: authenticator && checkAccount,
    /** Writes pending last-use times of API keys. */
    close: async () => authenticator?.close(),
  };
}
