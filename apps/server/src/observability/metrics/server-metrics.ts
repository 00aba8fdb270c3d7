import { Registry } from "prom-client";

export interface ServerMetrics {
  /** The metrics of this process. */
  readonly own: Registry;
  /** Metrics that are read from the database, and are the same in every process. */
  readonly shared: Registry;
  /** Returns all metrics of the server in the Prometheus text format. */
  read(): Promise<string>;
}

/** Creates the metrics of a server that runs as a single process. */
export function createServerMetrics(): ServerMetrics {
  const registry = new Registry();
  return { own: registry, shared: registry, read: () => registry.metrics() };
}
