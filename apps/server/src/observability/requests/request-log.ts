import type { Logger } from "pino";
import type { RequestState } from "./request-state.js";

/** The codes of failures that the service, and not the caller, caused. */
const SERVICE_FAILURES: ReadonlySet<string> = new Set(["INTERNAL", "UNKNOWN", "UNAVAILABLE", "DATA_LOSS"]);

/**
 * Logs a request with the name of its code and its duration: at warn if the service failed, and at debug otherwise. Rejected requests are logged at
 * debug, so that overload does not flood the log. Paths are not logged, because they may contain personal data.
 */
export function logRequest(log: Logger, state: RequestState, code: string, ms: number): void {
  const level = SERVICE_FAILURES.has(code) && !state.isRefused ? "warn" : "debug";
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...rpcFields(state), code, ms: Math.round(ms * 1000) / 1000 }, "request");
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
