import { Registry } from "prom-client";

/** Where the metrics of a server are kept, and how they are read. */
export interface ServerMetrics {
  /** What this process counts. */
  readonly own: Registry;
  /** What is read from the database, and is the same whichever process reads it. */
  readonly shared: Registry;
  /** All metrics of the server, in the format that Prometheus reads. */
  read(): Promise<string>;
}

/** The metrics of a server that is one process. */
export function createServerMetrics(): ServerMetrics {
  const registry = new Registry();
  return { own: registry, shared: registry, read: () => registry.metrics() };
}
