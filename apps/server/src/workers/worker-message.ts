import type { ServerFailure } from "../errors/server-failure.js";

/** The environment variable with a worker's number, starting at 1. A replacement has the number of the worker that it replaces. */
export const WORKER_NUMBER_VARIABLE = "CALLTRACK_WORKER";

/** The metrics of a worker, as returned by `Registry.getMetricsAsJSON`. */
export type WorkerMetrics = object[];

/** A message from a worker to the primary. */
export type WorkerMessage =
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "failed"; readonly failure: ServerFailure }
  /** Requests the metrics of all workers. */
  | { readonly kind: "gather" }
  /** The response to `collect`. */
  | { readonly kind: "metrics"; readonly metrics: WorkerMetrics };

/** A message from the primary to a worker. */
export type PrimaryMessage =
  | { readonly kind: "stop" }
  /** Requests the metrics of the worker. */
  | { readonly kind: "collect" }
  /** The response to `gather`. */
  | { readonly kind: "gathered"; readonly metrics: readonly WorkerMetrics[] };

/** Resolves when the message is sent. */
export function sendToPrimary(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

export function onPrimaryMessage(callback: (message: PrimaryMessage) => void): void {
  process.on("message", callback);
}
