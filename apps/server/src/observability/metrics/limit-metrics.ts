import { Counter, Gauge, type Registry } from "prom-client";
import { registerSeries } from "./register-series.js";

/** What was wrong with a request that was refused before all of it was read, by the reason that its answer has. */
const REASONS = [
  "OVERLOADED",
  "URL_TOO_LARGE",
  "HEADERS_TOO_LARGE",
  "HOST_MALFORMED",
  "REQUEST_TIMEOUT",
  "REQUEST_MALFORMED",
] as const;

export type RefusalReason = (typeof REASONS)[number];

/** Counts connections, and what is refused before it is known what it asks for: it is among no other requests. */
export interface LimitMetrics {
  refuseRequest(reason: RefusalReason): void;
  openConnection(): void;
  closeConnection(): void;
  refuseConnection(): void;
}

/**
 * Registers the metrics of limits, and returns what counts for them.
 *
 * @param pendingBodyBytes are those of request bodies whose calls have not begun.
 */
export function registerLimitMetrics(registry: Registry, pendingBodyBytes: () => number): LimitMetrics {
  const counts = new Map<RefusalReason, number>(REASONS.map((reason) => [reason, 0]));
  registerSeries(registry, {
    name: "calltrack_refusals_total",
    help: "Requests that were refused before all of them was read, by the reason in the answer.",
    type: "counter",
    values: () =>
      Array.from(counts, ([reason, value]) => ({ metricName: "calltrack_refusals_total", labels: { reason }, value })),
  });
  registerSeries(registry, {
    name: "calltrack_pending_body_bytes",
    help: "Bytes of request bodies that have arrived in part, or whose calls have not begun.",
    type: "gauge",
    values: () => [{ metricName: "calltrack_pending_body_bytes", labels: {}, value: pendingBodyBytes() }],
  });
  const registers = [registry];
  const open = new Gauge({ name: "calltrack_connections", help: "Connections of clients that are open.", registers });
  const refused = new Counter({
    name: "calltrack_connections_refused_total",
    help: "Connections of clients that were closed at once, as there were as many as there may be.",
    registers,
  });
  return {
    refuseRequest: (reason) => counts.set(reason, (counts.get(reason) ?? 0) + 1),
    openConnection: () => open.inc(),
    closeConnection: () => open.dec(),
    refuseConnection: () => refused.inc(),
  };
}
