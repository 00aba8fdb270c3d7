import type { ServerFailure } from "../errors/server-failure.js";

/** The environment variable that says to a worker which one it is, from 1. One that takes the place of another has its number. */
export const WORKER_NUMBER = "CALLTRACK_WORKER";

/** The metrics of a worker, as `Registry.getMetricsAsJSON` gives them. */
export type WorkerMetrics = object[];

/** What a worker says to the primary. */
export type WorkerMessage =
  | { readonly kind: "ready"; readonly port: number }
  | { readonly kind: "failed"; readonly failure: ServerFailure }
  /** Asks for the metrics of all workers. */
  | { readonly kind: "gather" }
  /** Answers `collect`. */
  | { readonly kind: "metrics"; readonly metrics: WorkerMetrics };

/** What the primary says to a worker. */
export type PrimaryMessage =
  | { readonly kind: "stop" }
  /** Asks for what the worker counts. */
  | { readonly kind: "collect" }
  /** Answers `gather`. */
  | { readonly kind: "gathered"; readonly metrics: readonly WorkerMetrics[] };

/** Tells the primary of this worker, and resolves when it is sent. */
export function tellPrimary(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

/** Calls back for everything that the primary says. */
export function onPrimaryMessage(callback: (message: PrimaryMessage) => void): void {
  process.on("message", callback);
}
