import { Counter, Gauge, type Registry } from "prom-client";
import type { RefusalReason } from "../../errors/http-errors.js";
import { registerSeries } from "./histogram-series.js";

/** The error reasons of requests that are rejected before they are fully read. */
const REASONS = [
  "OVERLOADED",
  "URL_TOO_LARGE",
  "HEADERS_TOO_LARGE",
  "HOST_MALFORMED",
  "PATH_MALFORMED",
  "REQUEST_TIMEOUT",
  "REQUEST_MALFORMED",
  "METHOD_NOT_ALLOWED",
  "EXPECTATION_UNSUPPORTED",
] as const satisfies readonly (RefusalReason | "URL_TOO_LARGE")[];

/** Observes the connections of a server. */
export interface ConnectionListener {
  connectionOpened(): void;
  connectionClosed(): void;
  /** A connection was closed immediately because of a limit, or could not be accepted. */
  connectionRefused(): void;
}

/** Counts connections, and requests that are rejected because of their heads or bodies. */
export interface LimitMetrics extends ConnectionListener {
  refuseRequest(reason: (typeof REASONS)[number]): void;
}

/**
 * Registers the metrics of limits, and returns the counters.
 *
 * @param pendingBodyBytes returns the size of all buffered request bodies whose calls have not begun.
 */
export function registerLimitMetrics(registry: Registry, pendingBodyBytes: () => number): LimitMetrics {
  const counts = new Map<string, number>(REASONS.map((reason) => [reason, 0]));
  registerSeries(registry, {
    name: "calltrack_refusals_total",
    help: "Requests rejected before they were fully read, by reason.",
    type: "counter",
    values: () =>
      Array.from(counts, ([reason, value]) => ({ metricName: "calltrack_refusals_total", labels: { reason }, value })),
  });
  registerSeries(registry, {
    name: "calltrack_pending_body_bytes",
    help: "Bytes of buffered request bodies whose calls have not started.",
    type: "gauge",
    values: () => [{ metricName: "calltrack_pending_body_bytes", labels: {}, value: pendingBodyBytes() }],
  });
  const registers = [registry];
  const open = new Gauge({ name: "calltrack_connections", help: "Open client connections.", registers });
  const refused = new Counter({
    name: "calltrack_connections_refused_total",
    help: "Client connections closed on arrival because the connection limit was reached.",
    registers,
  });
  return {
    refuseRequest: (reason) => counts.set(reason, (counts.get(reason) ?? 0) + 1),
    connectionOpened: () => open.inc(),
    connectionClosed: () => open.dec(),
    connectionRefused: () => refused.inc(),
  };
}
