import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { domainErrorInterceptor, ERROR_DOMAIN, wireErrorOf } from "../errors/domain-error.js";
import { recordOfCall } from "../observability/requests/request-record.js";
import type { Guard } from "./guard.js";

/** Finds violations of domain rules in a request that could not be decoded completely. */
export type RequestCheck = (method: DescMethod, message: Message) => Promise<readonly FieldViolation[]>;

/** Creates the options of calls; all protocols share them. */
export function createCallOptions(guard: Guard, maxBodyBytes: number, check: RequestCheck, log: Logger) {
  return {
    interceptors: [domainErrorInterceptor(log), ...guard.interceptors],
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
        return await check(method, message);
      } catch (error) {
        throw wireErrorOf(error, log, recordOfCall(values));
      }
    },
    onError: (error: unknown) => log.error({ err: error }, "a request failed"),
    errorDomain: ERROR_DOMAIN,
  };
}
