import type { Metric, Registry } from "prom-client";

/** A line of a histogram, as prom-client takes it. */
interface SeriesValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * What a histogram has of one set of labels. To add to it costs a few comparisons; prom-client's own looks up the labels each
 * time, which costs about a microsecond.
 */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  /** How many values are in each bucket alone; the last is for those beyond all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds the upper bounds of the buckets, the least first. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += value;
  }

  /** The lines of these labels. */
  values(name: string, labels: SeriesValue["labels"]): SeriesValue[] {
    let count = 0;
    const buckets = this.#counts.map((each, bucket) => {
      count += each;
      return { metricName: `${name}_bucket`, labels: { le: this.#bounds[bucket] ?? "+Inf", ...labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

/** A metric whose values are kept elsewhere. */
interface SeriesMetric {
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
