import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Executor } from "@calltrack/postgres";
import type { ContextValues, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { createAuthenticator } from "./authenticator.js";
import { checkAccount, ownAccountInterceptor } from "./own-account.js";
import type { RateLimits } from "./rate-limits.js";
import { createRequestGate } from "./request-gate.js";

/** Authenticates and authorizes callers over every protocol. */
export interface Guard {
  /** Runs before the request body is read. Rejects callers that may not call the method. */
  readonly requestGate: ((context: HandlerContext) => Promise<void> | undefined) | undefined;
  readonly interceptors: readonly Interceptor[];
  /** See `checkAccount`. For requests that are decoded before they reach the interceptors. */
  checkAccount(method: DescMethod, request: Message, values: ContextValues): void;
  /** Writes pending last-use times of API keys. */
  close(): Promise<void>;
}

/**
 * Creates the guard of a server.
 *
 * @param settings undefined to disable authentication.
 */
export function createGuard(
  settings: AuthSettings | undefined,
  db: Executor,
  accounts: AccountDirectory,
  rates: RateLimits,
  log: Logger,
): Guard {
  if (settings === undefined) {
    const requestGate = rates.countsAddresses ? createRequestGate(undefined, rates, log) : undefined;
    return { requestGate, interceptors: [], checkAccount: () => {}, close: async () => {} };
  }
  const { authenticate, close } = createAuthenticator(settings, db, accounts, log);
  return {
    requestGate: createRequestGate(authenticate, rates, log),
    interceptors: [ownAccountInterceptor],
    checkAccount,
    close,
  };
}
