import { Code } from "@connectrpc/connect";
import type { Logger } from "pino";
import { type Outcome, outcomeName } from "./outcome.js";
import type { RequestState } from "./request-state.js";

/**
 * Logs a request with its outcome and duration: at warn if the service failed, and at debug otherwise. Rejected requests are logged at
 * debug, so that overload does not flood the log. Paths are not logged, because they may contain personal data.
 */
export function logRequest(log: Logger, state: RequestState, outcome: Outcome, ms: number): void {
  const level = isServiceFailure(outcome) && !state.isRefused ? "warn" : "debug";
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...rpcFields(state), code: outcomeName(outcome), ms: Math.round(ms * 1000) / 1000 }, "request");
}

/** Returns the shared fields, and the method and the protocol of a request. */
export function rpcFields(state: RequestState): Readonly<Record<string, string | undefined>> {
  const method = state.rpc?.method;
  const name = method && `${method.parent.typeName}/${method.name}`;
  return { ...requestFields(state), method: name, protocol: state.protocol };
}

/** Returns the fields that all log lines of a request share; no fields if `state` is undefined. */
export function requestFields(state: RequestState | undefined): Readonly<Record<string, string | undefined>> {
  return state === undefined ? {} : { request_id: state.id, trace_id: state.traceId };
}

/** Whether the service, and not the caller, caused a failure. */
function isServiceFailure(outcome: Outcome): boolean {
  return (
    outcome === Code.Internal || outcome === Code.Unknown || outcome === Code.Unavailable || outcome === Code.DataLoss
  );
}
