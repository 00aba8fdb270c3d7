import { Registry } from "prom-client";

/** The metrics of a server. */
export interface ServerMetrics {
  /** The metrics of this process. */
  readonly own: Registry;
  /** Metrics read from the database. They are the same in every process. */
  readonly shared: Registry;
  /** Returns all metrics of the server in the Prometheus text format. */
  read(): Promise<string>;
}

/** Creates the metrics of a server that runs as a single process. */
export function createServerMetrics(): ServerMetrics {
  const registry = new Registry();
  return { own: registry, shared: registry, read: () => registry.metrics() };
}
