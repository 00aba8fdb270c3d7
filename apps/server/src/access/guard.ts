import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { Executor } from "@calltrack/postgres";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { ContextValues, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { AuthSettings } from "../config/auth-settings.js";
import { addressGuard, type RateLimits } from "../http/limits/rate-limits.js";
import type { RequestHandler } from "../http/request-handler.js";
import type { TlsLayer } from "../http/tls/tls-layer.js";
import { recordOf } from "../observability/requests/request-record.js";
import { requestSocket } from "../observability/requests/request-socket.js";
import type { RequestSource } from "../observability/requests/request-source.js";
import type { AccountDirectory } from "./account-directory.js";
import { createAuthenticator } from "./authenticator.js";
import { clientKey } from "./caller-context.js";
import { createIdentification } from "./identification.js";
import { checkAccount, ownAccountInterceptor } from "./own-account.js";
import { createRequestGate } from "./request-gate.js";
import { withReadersOnly } from "./with-readers-only.js";

/** Keeps callers from what they may not do, on every way into the server. */
export interface Guard {
  /** What every call passes before anything of it is read. */
  readonly requestGate?: (context: HandlerContext) => Promise<void> | undefined;
  /** Notes what is known of a caller by the connection alone, for the gate. */
  readonly noteClient?: (request: RequestSource, values: ContextValues) => void;
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
  interceptors: [],
  checkAccount: () => {},
  withReadersOnly: (_, next) => next,
  close: async () => {},
};

/**
 * Creates the guard of a server; without settings, one that asks nobody.
 *
 * @param tls knows the certificates that clients have shown; undefined where connections are not encrypted.
 */
export function createGuard(
  settings: AuthSettings | undefined,
  db: Executor,
  accounts: AccountDirectory,
  tls: TlsLayer | undefined,
  rates: RateLimits,
  log: Logger,
): Guard {
  if (settings === undefined) return rates.countsAddresses ? { ...OPEN, ...addressGuard(rates) } : OPEN;
  const { authenticate, close } = createAuthenticator(settings, db, accounts, log);
  const identify = createIdentification(authenticate, rates);
  const noteClient = (request: RequestSource, values: ContextValues) => {
    if (settings.certificates) values.set(clientKey, tls?.findClient(requestSocket(request)));
    if (rates.countsAddresses) rates.note(request, values);
  };
  const identifyRequest = (request: NodeRequest) => {
    const record = recordOf(request);
    noteClient(request, record);
    return identify(request.headers.authorization ?? null, record);
  };
  return {
    requestGate: createRequestGate(identify, rates, log),
    ...((settings.certificates || rates.countsAddresses) && { noteClient }),
    interceptors: [ownAccountInterceptor],
    checkAccount,
    withReadersOnly: (path, next) => withReadersOnly(path, identifyRequest, log, next),
    close,
  };
}
