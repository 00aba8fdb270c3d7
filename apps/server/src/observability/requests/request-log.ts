import type { Logger } from "pino";
import { LogLineLimit } from "../log-line-limit.js";
import type { RequestState } from "./request-state.js";

/** The codes of failures that the service caused, rather than the client. */
const SERVICE_FAILURES: ReadonlySet<string> = new Set(["INTERNAL", "UNKNOWN", "UNAVAILABLE", "DATA_LOSS"]);

/**
 * Limits the log lines about failures to ten per minute and key, because during an outage, requests of any client can fail. The metrics still count
 * all failures.
 */
const FAILURE_LINES = new LogLineLimit(10);

/**
 * Logs a request with the name of its code and its duration, at `warn` if the service failed, and otherwise at `debug`.
 *
 * Overload and outages do not flood the log. Rejected requests are logged at `debug`. After ten failures of a method with the same code in a minute,
 * further failures are also logged at `debug`. Paths are not logged, because they may contain personal data.
 */
export function logRequest(log: Logger, state: RequestState, code: string, ms: number): void {
  const isFailure = SERVICE_FAILURES.has(code) && !state.isRefused;
  const level = isFailure ? FAILURE_LINES.levelOf(log, `${nameOf(state)} ${code}`, "warn") : "debug";
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...createRpcLogFields(state), code, ms: Math.round(ms * 1000) / 1000 }, "request");
}

/** Returns the log fields that identify a request, its method and its protocol. */
export function createRpcLogFields(state: RequestState): Readonly<Record<string, string | undefined>> {
  return { ...createRequestLogFields(state), method: nameOf(state), protocol: state.protocol };
}

/** Returns the full name of the method that a request calls; undefined if the request calls no method. */
function nameOf({ rpc }: RequestState): string | undefined {
  return rpc && `${rpc.method.parent.typeName}/${rpc.method.name}`;
}

/** Returns the fields that all log lines about a request contain; no fields if `state` is undefined. */
export function createRequestLogFields(state: RequestState | undefined): Readonly<Record<string, string | undefined>> {
  return state === undefined ? {} : { request_id: state.id, trace_id: state.traceId };
}
