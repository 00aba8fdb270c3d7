import type { Metric, Registry } from "prom-client";

/** A sample of a metric, in the format of prom-client. */
interface SeriesValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * The buckets of a histogram for one set of labels. `observe` needs only a few comparisons. prom-client's histogram looks up the
 * labels on each call, which takes about a microsecond.
 */
export class HistogramSeries {
  readonly #bounds: readonly number[];
  /** The number of values in each bucket, not cumulative. The last bucket has the values above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds the upper bounds of the buckets, in ascending order. */
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

  /** Returns the samples of the series, with cumulative bucket counts. */
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

/** A metric that reads its values from the caller's own counters. */
interface SeriesMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** Returns the current samples. */
  readonly values: () => SeriesValue[] | Promise<SeriesValue[]>;
}

/** Registers a metric that is not a subclass of prom-client's Metric. A registry only calls `get` and reads these properties. */
export function registerSeries(registry: Registry, { values, ...described }: SeriesMetric): void {
  const metric = { ...described, aggregator: "sum" };
  const get = async () => ({ ...metric, values: await values() });
  registry.registerMetric({ ...metric, get } as unknown as Metric);
}
