import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import { type FailedRpc, RequestError } from "@calltrack/transcoding";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { ERROR_DOMAIN, translateRequestError } from "../errors/wire-error.js";
import { findRequestState, type RequestState } from "../observability/requests/request-state.js";
import type { AccessGuard } from "./access-guard.js";
import { formatPrincipalName } from "./client-rate-limiter.js";
import { principalContextKey } from "./principal-context.js";

/**
 * Finds violations of domain rules in a request that could be decoded only in part, so that one error lists them with the decoding errors.
 *
 * @throws DomainError if the principal may not access the account in the request
 */
export type RequestViolationFinder = (
  method: DescMethod,
  request: Message,
  context: HandlerContext,
) => Promise<readonly FieldViolation[]>;

/** Counts an open stream. Throws if a limit on open streams is reached. `principal` is undefined for anonymous clients. */
export type OpenStreamCounter = (state: RequestState, method: DescMethod, principal: string | undefined) => void;

/** Creates the options that RPCs of all protocols share. */
export function createRpcOptions(
  guard: AccessGuard,
  countOpenStream: OpenStreamCounter,
  maxBodyBytes: number,
  check: RequestViolationFinder,
  log: Logger,
) {
  /**
   * Rethrows an error. Logs the error first if the deadline has passed, because the response that the client already received does not mention it.
   */
  const throwLate = (error: unknown, signal: AbortSignal): never => {
    const isForClient = error instanceof ConnectError || error instanceof RequestError;
    if (signal.aborted && !isForClient) translateRequestError(error, log, undefined);
    throw error;
  };
  return {
    requestGate(context: HandlerContext) {
      const state = findRequestState(context.values);
      if (state !== undefined) state.rpc = context;
      const admitted = guard.requestGate?.(context);
      const { method, values } = context;
      if (state === undefined || method.methodKind === "unary") return admitted;
      const count = () => {
        const principal = values.get(principalContextKey);
        countOpenStream(state, method, principal && formatPrincipalName(principal.actor));
      };
      return admitted === undefined ? count() : admitted.then(count);
    },
    readMaxBytes: maxBodyBytes,
    aroundDeadline: <T>(signal: AbortSignal, work: () => Promise<T>) =>
      runWithDeadline(signal, () => work().catch((error) => throwLate(error, signal))),
    validate: check,
    onError: (error: unknown, rpc: FailedRpc | undefined) =>
      translateRequestError(error, log, findRequestState(rpc?.values)),
    errorDomain: ERROR_DOMAIN,
  };
}
