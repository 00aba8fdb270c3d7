import type { Exchange } from "@calltrack/http";
import { Code } from "@connectrpc/connect";
import type { Logger } from "pino";
import { NOSNIFF } from "../errors/nosniff.js";
import type { RequestMetrics } from "../observability/metrics/request-metrics.js";
import { type Outcome, outcomeOfStatus } from "../observability/requests/outcome.js";
import { REQUEST_ID_HEADER } from "../observability/requests/request-id.js";
import { logRequest } from "../observability/requests/request-log.js";
import { protocolOf } from "../observability/requests/request-protocol.js";
import { findRecord, RequestRecord, setRecord } from "../observability/requests/request-record.js";
import type { RequestWatch } from "../observability/requests/request-watch.js";
import type { Tracing } from "../observability/tracing/request-tracer.js";
import { type FailureHandler, runContained } from "./failure-handler.js";

/** Handles an observed exchange. If it throws or rejects, the request fails. */
export type RecordHandler = (record: RequestRecord) => void | Promise<void>;

/**
 * Creates a function that observes exchanges: it gives each a record, adds the headers of every response, counts, traces and logs the
 * request (see `logRequest`), and watches its deadline. Rejected requests are observed like all others.
 *
 * @param fail ends a request whose code threw.
 */
export function observeExchanges(
  log: Logger,
  metrics: RequestMetrics,
  watch: RequestWatch,
  tracing: Tracing | undefined,
  fail: FailureHandler,
): (exchange: Exchange, next: RecordHandler) => void {
  return (exchange, next) => {
    const known = findRecord(exchange);
    // The HTTP server may reject the rest of a request that is already being handled.
    if (known !== undefined) return runContained(exchange, fail, () => next(known));
    const record = new RequestRecord(exchange);
    setRecord(exchange, record);
    exchange.onError((error) => fail(exchange, error));
    exchange.addHeader(...NOSNIFF);
    exchange.addHeader(REQUEST_ID_HEADER, record.id);
    exchange.onEnd((status) => {
      const outcome = outcomeOf(record, status);
      const ms = performance.now() - record.startedAt;
      watch.remove(record);
      metrics.end(record, outcome, ms / 1000);
      tracing?.end(record, outcome, status);
      logRequest(log, record, outcome, ms);
    });
    metrics.begin();
    watch.add(record);
    runContained(exchange, fail, () =>
      tracing === undefined ? next(record) : tracing.serve(record, () => next(record)),
    );
  };
}

function outcomeOf(record: RequestRecord, status: number | undefined): Outcome {
  if (status === undefined) return record.failure ?? Code.Canceled;
  const outcome = record.failure ?? record.outcome ?? outcomeOfStatus(status);
  // The HTTP status of a failed gRPC call is also 200, and the call may fail before it reaches the implementation.
  const isUnknown = outcome === 0 && record.outcome === undefined && !record.isAnswered;
  return isUnknown && protocolOf(record).startsWith("grpc") ? Code.Unknown : outcome;
}
