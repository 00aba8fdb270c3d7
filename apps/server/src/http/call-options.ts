import type { DescMethod, Message } from "@bufbuild/protobuf";
import { type Executor, runWithDeadline } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import type { AccountDirectory } from "../access/account-directory.js";
import type { Guard } from "../access/guard.js";
import { checkRequest } from "../api/request-checks.js";
import { domainErrorInterceptor, ERROR_DOMAIN, wireErrorOf } from "../errors/domain-error.js";
import { recordOfCall } from "../observability/requests/request-record.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";

/** Creates the options of calls, which are the same over all protocols. */
export function createCallOptions(
  db: Executor,
  accounts: AccountDirectory,
  guard: Guard,
  concurrency: ConcurrencyLimit,
  maxBodyBytes: number,
  log: Logger,
) {
  return {
    interceptors: [domainErrorInterceptor(log), ...guard.interceptors, concurrency.interceptor],
    requestGate(context: HandlerContext) {
      const record = recordOfCall(context.values);
      if (record !== undefined) record.call = context;
      return guard.requestGate?.(context);
    },
    readMaxBytes: maxBodyBytes,
    aroundDeadline: runWithDeadline,
    async validate(method: DescMethod, message: Message, { values }: HandlerContext) {
      try {
        guard.checkAccount(method, message, values);
        return await checkRequest(db, accounts, method, message);
      } catch (error) {
        throw wireErrorOf(error, log, recordOfCall(values));
      }
    },
    onError: (error: unknown) => log.error({ err: error }, "a request failed"),
    errorDomain: ERROR_DOMAIN,
  };
}
