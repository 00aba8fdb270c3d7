import { Registry } from "prom-client";

export interface ServerMetrics {
  /** The metrics that this process counts itself. */
  readonly own: Registry;
  /** Metrics that each scrape reads from the database, so they are the same in every process. */
  readonly shared: Registry;
  /** Returns the metrics of all processes of the server, in the text format of Prometheus. */
  read(): Promise<string>;
}

/** Creates the metrics of a server that runs as a single process. */
export function createServerMetrics(): ServerMetrics {
  const registry = new Registry();
  return { own: registry, shared: registry, read: () => registry.metrics() };
}
