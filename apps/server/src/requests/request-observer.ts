import type { Logger } from "pino";
import type { RequestMetrics } from "../metrics/request-metrics.js";
import type { Tracing } from "../tracing/tracing.js";
import type { Outcome } from "./outcome.js";
import { logRequest } from "./request-log.js";
import type { RequestRecord } from "./request-record.js";

/** Is told of every request that the server answers. */
export interface RequestObserver {
  /** Has a request served. */
  serve<T>(record: RequestRecord, serve: () => T): T;
  /** A request has begun. */
  begin(): void;
  /**
   * A request that has begun has its answer, or its client has gone away.
   *
   * @param status that of HTTP, where the outcome was told by one.
   */
  end(record: RequestRecord, outcome: Outcome, status?: number): void;
}

/** Counts requests, traces them if they are to be traced, and logs them; see `logRequest`. */
export function createRequestObserver(
  log: Logger,
  slowMs: number,
  metrics: RequestMetrics,
  tracing: Tracing | undefined,
): RequestObserver {
  return {
    serve: tracing?.serve ?? ((_, serve) => serve()),
    begin: metrics.begin,
    end(record, outcome, status) {
      const ms = performance.now() - record.startedAt;
      tracing?.end(record, outcome, status);
      metrics.end(record, outcome, ms / 1000);
      logRequest(log, slowMs, record, outcome, ms);
    },
  };
}
