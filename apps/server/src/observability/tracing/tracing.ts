import type { Outcome } from "../requests/outcome.js";
import type { RequestRecord } from "../requests/request-record.js";

/** Traces requests and their SQL statements. */
export interface Tracing {
  /** Starts the span of a request and calls `serve`. Statements that `serve` executes become child spans. */
  serve<T>(record: RequestRecord, serve: () => T): T;
  /**
   * Ends the span of a request.
   *
   * @param status the HTTP status; undefined if the response was cut off or the client disconnected.
   */
  end(record: RequestRecord, outcome: Outcome, status: number | undefined): void;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}
