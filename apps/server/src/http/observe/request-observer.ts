import type { Logger } from "pino";
import type { RequestMetrics } from "../../observability/metrics/request-metrics.js";
import type { Outcome } from "../../observability/requests/outcome.js";
import { logRequest } from "../../observability/requests/request-log.js";
import type { RequestExpiry, RequestRecord } from "../../observability/requests/request-record.js";
import type { RequestWatch } from "../../observability/requests/request-watch.js";
import type { Tracing } from "../../observability/tracing/tracing.js";

/** Is told of every request that the server answers. */
export interface RequestObserver {
  /** Has a request served. */
  serve<T>(record: RequestRecord, serve: () => T): T;
  /** A request has begun, and may have ended already. */
  begin(record: RequestRecord, expiry: RequestExpiry): void;
  /**
   * A request that has begun has its answer, or its client has gone away.
   *
   * @param status that of HTTP, where the outcome was told by one.
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
    begin(record, expiry) {
      metrics.begin();
      if (record.isOver) return;
      record.expiry = expiry;
      watch.add(record);
    },
    end(record, outcome, status) {
      record.isOver = true;
      watch.remove(record);
      const ms = performance.now() - record.startedAt;
      tracing?.end(record, outcome, status);
      metrics.end(record, outcome, ms / 1000);
      logRequest(log, record, outcome, ms);
    },
  };
}
