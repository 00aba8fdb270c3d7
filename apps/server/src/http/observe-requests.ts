import { codeToName } from "@calltrack/transcoding";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Logger } from "pino";
import { NOSNIFF } from "../errors/nosniff.js";
import { codeOfStatus } from "../observability/requests/code-of-status.js";
import { logRequest } from "../observability/requests/request-log.js";
import type { RequestMetrics } from "../observability/requests/request-metrics.js";
import { REQUEST_ID_HEADER, RequestState, requestStateOf } from "../observability/requests/request-state.js";
import type { Tracing } from "../observability/tracing/request-tracer.js";
import type { RequestWatch } from "./request-watch.js";

/** Handles a request after it was given its state. If it throws or rejects, the request fails. */
export type ObservedHandler = (state: RequestState) => void | Promise<void>;

/**
 * Creates a function that observes requests, including rejected ones. It creates the state of each request, adds the headers that every
 * response has, enforces the deadline, and counts, traces and logs the request (see `logRequest`).
 */
export function observeRequests(
  log: Logger,
  metrics: RequestMetrics,
  watch: RequestWatch,
  tracing: Tracing | undefined,
): (request: NodeRequest, next: ObservedHandler) => void | Promise<void> {
  return (request, next) => {
    const known = requestStateOf(request.contextValues);
    // The HTTP server may reject the rest of a request that is already being handled.
    if (known !== undefined) return next(known);
    const state = new RequestState(request);
    request.contextValues = state;
    request.addHeader(...NOSNIFF);
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

/** Returns the name of a request's result in google/rpc/code.proto, such as `OK`. Default status: 499, as nginx logs for disconnected clients. */
function codeOf(state: RequestState, status = 499): string {
  if (state.failure !== undefined) return codeToName(state.failure);
  if (status >= 400) return codeToName(codeOfStatus(status));
  // A failed gRPC call also has the HTTP status 200, and it may fail before it reaches the implementation.
  return state.isAnswered || !state.protocol.startsWith("grpc") ? "OK" : "UNKNOWN";
}
