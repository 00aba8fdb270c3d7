import type { Logger } from "pino";
import { isServiceFailure, type Outcome, outcomeName } from "./outcome.js";
import type { RequestState } from "./request-state.js";

/**
 * Logs a request with its outcome and duration: at warn if the service failed, and at debug otherwise. Rejected requests are logged at
 * debug, so that overload does not flood the log. Paths are not logged, because they may contain personal data.
 */
export function logRequest(log: Logger, record: RequestState, outcome: Outcome, ms: number): void {
  const level = isServiceFailure(outcome) && !record.isRefused ? "warn" : "debug";
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...callFields(record), code: outcomeName(outcome), ms: Math.round(ms * 1000) / 1000 }, "request");
}

/** Returns the shared fields, and the method and the protocol of a request. */
export function callFields(record: RequestState): Readonly<Record<string, string | undefined>> {
  const method = record.call?.method;
  const name = method && `${method.parent.typeName}/${method.name}`;
  return { ...requestFields(record), method: name, protocol: record.protocol };
}

/** Returns the fields that all log lines of a request share; no fields if `record` is undefined. */
export function requestFields(record: RequestState | undefined): Readonly<Record<string, string | undefined>> {
  return record === undefined ? {} : { request_id: record.id, trace_id: record.traceId };
}
