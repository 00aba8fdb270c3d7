import type { Logger } from "pino";
import { LineLimit } from "../line-limit.js";
import type { RequestState } from "./request-state.js";

/** The codes of failures that the service caused rather than the caller. */
const SERVICE_FAILURES: ReadonlySet<string> = new Set(["INTERNAL", "UNKNOWN", "UNAVAILABLE", "DATA_LOSS"]);

/** Limits the log lines during an outage, when anyone can make requests fail. The metrics count all failures. */
const FAILURE_LINES = new LineLimit(10);

/**
 * Logs a request with the name of its code and its duration: at `warn` if the service failed, and at `debug` otherwise. Rejected requests
 * are logged at `debug`, and so are failures of a method with the same code beyond ten per minute, so that neither overload nor an outage
 * floods the log. Paths are not logged, because they may contain personal data.
 */
export function logRequest(log: Logger, state: RequestState, code: string, ms: number): void {
  const isFailure = SERVICE_FAILURES.has(code) && !state.isRefused;
  const level = isFailure ? FAILURE_LINES.levelOf(log, `${nameOf(state)} ${code}`, "warn") : "debug";
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...rpcFields(state), code, ms: Math.round(ms * 1000) / 1000 }, "request");
}

/** Returns the log fields of a request: `requestFields`, and its method and protocol. */
export function rpcFields(state: RequestState): Readonly<Record<string, string | undefined>> {
  return { ...requestFields(state), method: nameOf(state), protocol: state.protocol };
}

/** Returns the full name of the method that a request calls; undefined if it calls none. */
function nameOf({ rpc }: RequestState): string | undefined {
  return rpc && `${rpc.method.parent.typeName}/${rpc.method.name}`;
}

/** Returns the fields that all log lines of a request share; no fields if `state` is undefined. */
export function requestFields(state: RequestState | undefined): Readonly<Record<string, string | undefined>> {
  return state === undefined ? {} : { request_id: state.id, trace_id: state.traceId };
}
