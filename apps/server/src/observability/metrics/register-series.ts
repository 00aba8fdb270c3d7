import type { Metric, Registry } from "prom-client";
import type { SeriesValue } from "./histogram-series.js";

/** A metric whose values are kept elsewhere. */
export interface SeriesMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** All its lines as they are now. */
  readonly values: () => SeriesValue[] | Promise<SeriesValue[]>;
}

/** Registers a metric whose values are kept elsewhere: a registry asks no more of a metric than this. */
export function registerSeries(registry: Registry, { name, help, type, values }: SeriesMetric): void {
  const metric = {
    name,
    help,
    type,
    aggregator: "sum",
    get: async () => ({ name, help, type, aggregator: "sum", values: await values() }),
  };
  registry.registerMetric(metric as unknown as Metric);
}
