import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { callerKey } from "../access/caller-context.js";
import type { Guard } from "../access/guard.js";
import { callerNameOf } from "../access/rate-limits.js";
import { domainErrorInterceptor, ERROR_DOMAIN, wireErrorOf } from "../errors/domain-error.js";
import { type RequestRecord, recordOfCall } from "../observability/requests/request-record.js";

/** Finds violations of domain rules in a request that could not be decoded completely. */
export type RequestCheck = (method: DescMethod, message: Message) => Promise<readonly FieldViolation[]>;

/** Counts a call of a streaming method. Throws if a limit is reached. `caller` is undefined if the method is public. */
export type StreamGate = (record: RequestRecord, method: DescMethod, caller: string | undefined) => void;

/** Creates the options of calls; all protocols share them. */
export function createCallOptions(
  guard: Guard,
  streamGate: StreamGate,
  maxBodyBytes: number,
  check: RequestCheck,
  log: Logger,
) {
  return {
    interceptors: [domainErrorInterceptor(log), ...guard.interceptors],
    requestGate(context: HandlerContext) {
      const record = recordOfCall(context.values);
      if (record !== undefined) record.call = context;
      const admitted = guard.requestGate?.(context);
      const { method, values } = context;
      if (record === undefined || method.methodKind === "unary") return admitted;
      const count = () => {
        const caller = values.get(callerKey);
        streamGate(record, method, caller && callerNameOf(caller.actor));
      };
      return admitted === undefined ? count() : admitted.then(count);
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
