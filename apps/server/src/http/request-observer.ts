import type { Logger } from "pino";
import type { RequestMetrics } from "../observability/metrics/request-metrics.js";
import type { Outcome } from "../observability/requests/outcome.js";
import { logRequest } from "../observability/requests/request-log.js";
import type { RequestRecord } from "../observability/requests/request-record.js";
import type { RequestWatch } from "../observability/requests/request-watch.js";
import type { Tracing } from "../observability/tracing/request-tracer.js";

/** Observes every request, rejected ones included. */
export interface RequestObserver {
  /** Serves a request within its span. */
  serve<T>(record: RequestRecord, serve: () => T): T;
  /** A request begins. */
  begin(record: RequestRecord): void;
  /**
   * A request ends.
   *
   * @param status the HTTP status of the complete response; undefined if it was cut off or the client disconnected.
   */
  end(record: RequestRecord, outcome: Outcome, status?: number): void;
}

/** Counts requests, traces them if tracing is on, logs them (see `logRequest`), and watches their deadlines. */
export function createRequestObserver(
  log: Logger,
  metrics: RequestMetrics,
  watch: RequestWatch,
  tracing: Tracing | undefined,
): RequestObserver {
  return {
    serve: tracing?.serve ?? ((_, serve) => serve()),
    begin(record) {
      metrics.begin();
      watch.add(record);
    },
    end(record, outcome, status) {
      watch.remove(record);
      const ms = performance.now() - record.startedAt;
      tracing?.end(record, outcome, status);
      metrics.end(record, outcome, ms / 1000);
      logRequest(log, record, outcome, ms);
    },
  };
}
