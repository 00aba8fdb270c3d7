import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { FieldViolation } from "@calltrack/domain";
import { runWithDeadline } from "@calltrack/postgres";
import { type FailedRpc, RequestError } from "@calltrack/transcoding";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { ERROR_DOMAIN, wireErrorOf } from "../errors/wire-error.js";
import { type RequestState, requestStateOf } from "../observability/requests/request-state.js";
import type { Guard } from "./guard.js";
import { principalKey } from "./principal-context.js";
import { principalNameOf } from "./rate-limits.js";

/**
 * Finds violations of domain rules in a request that could be decoded only in part, so that one error lists all problems.
 *
 * @throws DomainError if the principal may not access the account
 */
export type RequestCheck = (
  method: DescMethod,
  request: Message,
  context: HandlerContext,
) => Promise<readonly FieldViolation[]>;

/** Counts an open stream. Throws if a limit is reached. `principal` is undefined for public methods and without authentication. */
export type StreamGate = (state: RequestState, method: DescMethod, principal: string | undefined) => void;

/** Creates the options that RPCs of all protocols share. */
export function createRpcOptions(
  guard: Guard,
  streamGate: StreamGate,
  maxBodyBytes: number,
  check: RequestCheck,
  log: Logger,
) {
  /** Logs an error that occurs after the deadline, because the client already has its response. */
  const throwLate = (error: unknown, signal: AbortSignal): never => {
    const isForClient = error instanceof ConnectError || error instanceof RequestError;
    if (signal.aborted && !isForClient) wireErrorOf(error, log, undefined);
    throw error;
  };
  return {
    requestGate(context: HandlerContext) {
      const state = requestStateOf(context.values);
      if (state !== undefined) state.rpc = context;
      const admitted = guard.requestGate?.(context);
      const { method, values } = context;
      if (state === undefined || method.methodKind === "unary") return admitted;
      const count = () => {
        const principal = values.get(principalKey);
        streamGate(state, method, principal && principalNameOf(principal.actor));
      };
      return admitted === undefined ? count() : admitted.then(count);
    },
    readMaxBytes: maxBodyBytes,
    aroundDeadline: <T>(signal: AbortSignal, work: () => Promise<T>) =>
      runWithDeadline(signal, () => work().catch((error) => throwLate(error, signal))),
    validate: check,
    onError: (error: unknown, rpc: FailedRpc | undefined) => wireErrorOf(error, log, requestStateOf(rpc?.values)),
    errorDomain: ERROR_DOMAIN,
  };
}
