import type { Message } from "@bufbuild/protobuf";
import type { Executor } from "@calltrack/postgres";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { createAuthenticator } from "./authenticator.js";
import type { AccessRules, MethodAccess } from "./method-access.js";
import { checkAccount } from "./own-account.js";
import type { RateLimits } from "./rate-limits.js";
import { createRequestGate } from "./request-gate.js";

/** Authenticates and authorizes principals over every protocol. */
export interface Guard {
  /** Runs before the request body is read. Rejects principals that may not call the method. */
  readonly requestGate: ((context: HandlerContext) => Promise<void> | undefined) | undefined;
  /** See `checkAccount`. Runs before each request is parsed. Undefined without authentication. */
  readonly checkAccount: ((access: MethodAccess, request: Message, values: ContextValues) => void) | undefined;
  /** Writes pending last-use times of API keys. */
  close(): Promise<void>;
}

/**
 * Creates the guard of a server.
 *
 * @param settings undefined to disable authentication.
 * @param accessOf the rules of the methods.
 */
export function createGuard(
  settings: AuthSettings | undefined,
  accessOf: AccessRules,
  db: Executor,
  accounts: AccountDirectory,
  rates: RateLimits,
  log: Logger,
): Guard {
  if (settings === undefined) {
    const requestGate = rates.countsAddresses ? createRequestGate(accessOf, undefined, rates, log) : undefined;
    return { requestGate, checkAccount: undefined, close: async () => {} };
  }
  const { authenticate, close } = createAuthenticator(settings, db, accounts, log);
  return {
    requestGate: createRequestGate(accessOf, authenticate, rates, log),
    checkAccount,
    close,
  };
}
