import type { NodeRequest } from "@calltrack/transcoding/node";
import { Code } from "@connectrpc/connect";
import type { Logger } from "pino";
import { NOSNIFF } from "../errors/nosniff.js";
import type { RequestMetrics } from "../observability/metrics/request-metrics.js";
import { type Outcome, outcomeOfStatus } from "../observability/requests/outcome.js";
import { logRequest } from "../observability/requests/request-log.js";
import { REQUEST_ID_HEADER, RequestState, stateOfCall } from "../observability/requests/request-state.js";
import type { Tracing } from "../observability/tracing/request-tracer.js";
import type { RequestWatch } from "./request-watch.js";

/** Handles an observed request. If it throws or rejects, the request fails. */
export type RecordHandler = (record: RequestState) => void | Promise<void>;

/**
 * Creates a function that observes requests: it gives each a record, adds the headers of every response, counts, traces and logs the
 * request (see `logRequest`), and watches its deadline. Rejected requests are observed like all others.
 */
export function observeRequests(
  log: Logger,
  metrics: RequestMetrics,
  watch: RequestWatch,
  tracing: Tracing | undefined,
): (request: NodeRequest, next: RecordHandler) => void | Promise<void> {
  return (request, next) => {
    const known = stateOfCall(request.contextValues);
    // The HTTP server may reject the rest of a request that is already being handled.
    if (known !== undefined) return next(known);
    const record = new RequestState(request);
    request.contextValues = record;
    request.addHeader(...NOSNIFF);
    request.addHeader(REQUEST_ID_HEADER, record.id);
    watch.add(record);
    request.onEnd((status) => {
      watch.remove(record);
      const outcome = outcomeOf(record, status);
      const ms = performance.now() - record.startedAt;
      metrics.end(record, outcome, ms / 1000);
      tracing?.end(record, outcome, status);
      logRequest(log, record, outcome, ms);
    });
    metrics.begin();
    return tracing === undefined ? next(record) : tracing.serve(record, () => next(record));
  };
}

function outcomeOf(record: RequestState, status: number | undefined): Outcome {
  if (status === undefined) return record.failure ?? Code.Canceled;
  const outcome = record.failure ?? record.outcome ?? outcomeOfStatus(status);
  // The HTTP status of a failed gRPC call is also 200, and the call may fail before it reaches the implementation.
  const isUnknown = outcome === 0 && record.outcome === undefined && !record.isAnswered;
  return isUnknown && record.protocol.startsWith("grpc") ? Code.Unknown : outcome;
}
