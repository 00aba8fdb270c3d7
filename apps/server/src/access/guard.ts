import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Executor } from "@calltrack/postgres";
import type { ContextValues, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import type { AccountDirectory } from "./account-directory.js";
import { createAuthenticator } from "./authenticator.js";
import { checkAccount, ownAccountInterceptor } from "./own-account.js";
import { addressGate, type RateLimits } from "./rate-limits.js";
import { createRequestGate } from "./request-gate.js";

/** Authenticates callers and decides what they may call, over every protocol. */
export interface Guard {
  /** Every call passes it before anything of its body is read. */
  readonly requestGate?: (context: HandlerContext) => Promise<void> | undefined;
  readonly interceptors: readonly Interceptor[];
  /** See `checkAccount`: for requests that are read before they reach the interceptors. */
  checkAccount(method: DescMethod, request: Message, values: ContextValues): void;
  /** Writes what was not written yet. */
  close(): Promise<void>;
}

/** Allows everything to everyone. */
const OPEN: Guard = { interceptors: [], checkAccount: () => {}, close: async () => {} };

/** Creates the guard of a server; without settings, one that authenticates nobody. */
export function createGuard(
  settings: AuthSettings | undefined,
  db: Executor,
  accounts: AccountDirectory,
  rates: RateLimits,
  log: Logger,
): Guard {
  if (settings === undefined) return rates.countsAddresses ? { ...OPEN, requestGate: addressGate(rates) } : OPEN;
  const { authenticate, close } = createAuthenticator(settings, db, accounts, log);
  return {
    requestGate: createRequestGate(authenticate, rates, log),
    interceptors: [ownAccountInterceptor],
    checkAccount,
    close,
  };
}
