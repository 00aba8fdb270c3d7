import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { domainErrorInterceptor, ERROR_DOMAIN, wireErrorOf } from "../errors/domain-error.js";
import { type RequestState, stateOfCall } from "../observability/requests/request-state.js";
import type { Guard } from "./guard.js";
import { principalKey } from "./principal-context.js";
import { principalNameOf } from "./rate-limits.js";

/**
 * Finds violations of domain rules in a request that could be decoded only in part, so that one error lists all
 * problems.
 *
 * @throws DomainError if the principal may not access the account
 */
export type RequestCheck = (
  method: DescMethod,
  request: Message,
  context: HandlerContext,
) => Promise<readonly FieldViolation[]>;

/** Counts a call of a streaming method. Throws if a limit is reached. `principal` is undefined if the method is public. */
export type StreamGate = (record: RequestState, method: DescMethod, principal: string | undefined) => void;

/** Creates the options of calls; all protocols share them. */
export function createCallOptions(
  guard: Guard,
  streamGate: StreamGate,
  maxBodyBytes: number,
  check: RequestCheck,
  log: Logger,
) {
  return {
    interceptors: [domainErrorInterceptor(log)],
    requestGate(context: HandlerContext) {
      const record = stateOfCall(context.values);
      if (record !== undefined) record.call = context;
      const admitted = guard.requestGate?.(context);
      const { method, values } = context;
      if (record === undefined || method.methodKind === "unary") return admitted;
      const count = () => {
        const principal = values.get(principalKey);
        streamGate(record, method, principal && principalNameOf(principal.actor));
      };
      return admitted === undefined ? count() : admitted.then(count);
    },
    readMaxBytes: maxBodyBytes,
    aroundDeadline: runWithDeadline,
    async validate(method: DescMethod, message: Message, context: HandlerContext) {
      try {
        return await check(method, message, context);
      } catch (error) {
        throw wireErrorOf(error, log, stateOfCall(context.values));
      }
    },
    onError: (error: unknown) => log.error({ err: error }, "a request failed"),
    errorDomain: ERROR_DOMAIN,
  };
}
