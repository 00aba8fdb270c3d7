import type { Outcome } from "../requests/outcome.js";
import type { RequestRecord } from "../requests/request-record.js";

/** Traces requests, and the statements that they run. */
export interface Tracing {
  /** Begins the span of a request and serves it; each statement that it runs is a span within. */
  serve<T>(record: RequestRecord, serve: () => T): T;
  /** Ends the span of a request. @param status that of HTTP, where the outcome was told by one. */
  end(record: RequestRecord, outcome: Outcome, status: number | undefined): void;
  /** Exports what is not exported yet. */
  close(): Promise<void>;
}
