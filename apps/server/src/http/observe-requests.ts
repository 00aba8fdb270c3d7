import type { NodeRequest } from "@calltrack/transcoding/node";
import { Code } from "@connectrpc/connect";
import type { Logger } from "pino";
import { NOSNIFF } from "../errors/nosniff.js";
import type { RequestMetrics } from "../observability/metrics/request-metrics.js";
import { type Outcome, outcomeOfStatus } from "../observability/requests/outcome.js";
import { logRequest } from "../observability/requests/request-log.js";
import { REQUEST_ID_HEADER, RequestState, requestStateOf } from "../observability/requests/request-state.js";
import type { Tracing } from "../observability/tracing/request-tracer.js";
import type { RequestWatch } from "./request-watch.js";

/** Handles an observed request. If it throws or rejects, the request fails. */
export type ObservedHandler = (state: RequestState) => void | Promise<void>;

/**
 * Creates a function that observes requests: it gives each its state, adds the headers of every response, counts, traces and logs the
 * request (see `logRequest`), and watches its deadline. Rejected requests are observed like all others.
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
      const outcome = outcomeOf(state, status);
      const ms = performance.now() - state.startedAt;
      metrics.end(state, outcome, ms / 1000);
      tracing?.end(state, outcome, status);
      logRequest(log, state, outcome, ms);
    });
    metrics.begin();
    return tracing === undefined ? next(state) : tracing.serve(state, () => next(state));
  };
}

function outcomeOf(state: RequestState, status: number | undefined): Outcome {
  if (status === undefined) return state.failure ?? Code.Canceled;
  const outcome = state.failure ?? outcomeOfStatus(status);
  // The HTTP status of a failed RPC of gRPC is also 200, and the RPC may fail before it reaches the implementation.
  return outcome === 0 && !state.isAnswered && state.protocol.startsWith("grpc") ? Code.Unknown : outcome;
}
