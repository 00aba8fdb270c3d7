import { codeToName } from "@calltrack/transcoding";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Logger } from "pino";
import { NOSNIFF_HEADER } from "../errors/nosniff-header.js";
import { convertHttpStatusToRpcCode } from "../observability/requests/convert-http-status-to-rpc-code.js";
import { logRequest } from "../observability/requests/request-log.js";
import type { RequestMetrics } from "../observability/requests/request-metrics.js";
import { findRequestState, REQUEST_ID_HEADER, RequestState } from "../observability/requests/request-state.js";
import type { RequestTracer } from "../observability/tracing/request-tracer.js";
import type { RequestDeadlineEnforcer } from "./request-deadline-enforcer.js";

/** Handles a request whose state has been created. If it throws or rejects, the request fails. */
export type ObservedRequestHandler = (state: RequestState) => void | Promise<void>;

/**
 * Creates a function that observes every request, even a rejected one. It creates the state of the request, adds the headers that all
 * responses have, enforces the deadline, and counts, traces and logs the request.
 */
export function createRequestObserver(
  log: Logger,
  metrics: RequestMetrics,
  watch: RequestDeadlineEnforcer,
  tracing: RequestTracer | undefined,
): (request: NodeRequest, next: ObservedRequestHandler) => void | Promise<void> {
  return (request, next) => {
    const known = findRequestState(request.contextValues);
    // The HTTP server passes a request to the observer again if it rejects the request while a handler processes it.
    if (known !== undefined) return next(known);
    const state = new RequestState(request);
    request.contextValues = state;
    request.addHeader(...NOSNIFF_HEADER);
    request.addHeader(REQUEST_ID_HEADER, state.id);
    watch.add(state);
    request.onEnd((status) => {
      watch.remove(state);
      const code = codeOf(state, status);
      const ms = performance.now() - state.startedAt;
      metrics.end(state, code, ms / 1000);
      tracing?.end(state, code, status);
      logRequest(log, state, code, ms);
    });
    metrics.begin();
    return tracing === undefined ? next(state) : tracing.serve(state, () => next(state));
  };
}

/**
 * Returns the name of a request's result in google/rpc/code.proto, such as `OK`. `status` is undefined without a response. It then defaults to 499,
 * which is nginx's status for disconnected clients.
 */
function codeOf(state: RequestState, status = 499): string {
  if (state.failure !== undefined) return codeToName(state.failure);
  if (status >= 400) return codeToName(convertHttpStatusToRpcCode(status));
  // A gRPC request that fails before it reaches the implementation also has the HTTP status 200.
  return state.isAnswered || !state.protocol.startsWith("grpc") ? "OK" : "UNKNOWN";
}
