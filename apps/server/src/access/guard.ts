import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { ContextValues, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { AccountDirectory } from "../accounts/account-directory.js";
import type { RequestHandler } from "../one-port.js";
import type { Executor } from "../storage/prepared-statement.js";
import type { AuthSettings } from "./auth-settings.js";
import { createAuthenticator } from "./authenticator.js";
import { checkAccount, ownAccountInterceptor } from "./own-account.js";
import { createRequestGate } from "./request-gate.js";
import { withReadersOnly } from "./with-readers-only.js";

/** Keeps callers from what they may not do, on every way into the server. */
export interface Guard {
  /** For whatever calls methods: what every call passes before it is read, and what it passes then. */
  readonly options: { readonly requestGate?: (context: HandlerContext) => Promise<void> };
  readonly interceptors: readonly Interceptor[];
  /** See `checkAccount`: for requests that are looked at before they reach the interceptors. */
  checkAccount(method: DescMethod, request: Message, values: ContextValues): void;
  /** See `withReadersOnly`. */
  withReadersOnly(path: string, next: RequestHandler): RequestHandler;
  /** Writes down what is still to be written. */
  close(): Promise<void>;
}

/** Lets everyone do everything, and adds nothing to any request. */
const OPEN: Guard = {
  options: {},
  interceptors: [],
  checkAccount: () => {},
  withReadersOnly: (_, next) => next,
  close: async () => {},
};

/** Creates the guard of a server; without settings, one that asks nobody. */
export function createGuard(
  settings: AuthSettings | undefined,
  db: Executor,
  accounts: AccountDirectory,
  log: Logger,
): Guard {
  if (settings === undefined) return OPEN;
  const { authenticate, close } = createAuthenticator(settings, db, accounts, log);
  return {
    options: { requestGate: createRequestGate(authenticate, log) },
    interceptors: [ownAccountInterceptor],
    checkAccount,
    withReadersOnly: (path, next) => withReadersOnly(path, authenticate, log, next),
    close,
  };
}
