import { Counter, Gauge, type Registry } from "prom-client";
import { HTTP_ERRORS_BY_REASON, type HttpErrorReason } from "../../errors/http-errors.js";

/** Why a request is rejected before its body is fully read. */
type RejectionReason = HttpErrorReason | "URL_TOO_LARGE";

const REASONS = [...Object.keys(HTTP_ERRORS_BY_REASON), "URL_TOO_LARGE"] as readonly RejectionReason[];

export interface ConnectionListener {
  connectionOpened(): void;
  connectionClosed(): void;
  /** Called when a connection is closed on arrival because of a limit, or cannot be accepted. */
  connectionRefused(): void;
}

/** Counts connections, and requests that are rejected before their bodies are fully read. */
export interface LimitMetrics extends ConnectionListener {
  refuseRequest(reason: RejectionReason): void;
}

/** @param pendingBodyBytes returns the total size of buffered request bodies that no handler has accepted yet. */
export function registerLimitMetrics(registry: Registry, pendingBodyBytes: () => number): LimitMetrics {
  const registers = [registry];
  const refusals = new Counter({
    name: "calltrack_refusals_total",
    help: "Requests rejected before their bodies were fully read, by reason.",
    labelNames: ["reason"] as const,
    registers,
  });
  for (const reason of REASONS) refusals.inc({ reason }, 0);
  new Gauge({
    name: "calltrack_pending_body_bytes",
    help: "Bytes of buffered request bodies that no handler has accepted yet.",
    registers,
    collect() {
      this.set(pendingBodyBytes());
    },
  });
  const open = new Gauge({ name: "calltrack_connections", help: "Open client connections.", registers });
  const refused = new Counter({
    name: "calltrack_connections_refused_total",
    help: "Client connections that were closed on arrival because of a limit, or that could not be accepted.",
    registers,
  });
  return {
    refuseRequest: (reason) => refusals.inc({ reason }),
    connectionOpened: () => open.inc(),
    connectionClosed: () => open.dec(),
    connectionRefused: () => refused.inc(),
  };
}
