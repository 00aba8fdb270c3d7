import type { Executor } from "@calltrack/postgres";
import { Gauge, type Registry } from "prom-client";
import { registerSeries } from "../observability/metrics/register-series.js";
import { withTimeLimit } from "../observability/time-limit.js";
import { type Capacity, readCapacity } from "./capacity-repository.js";

const GAUGES: Readonly<Record<keyof Capacity, { readonly name: string; readonly help: string }>> = {
  due: { name: "calltrack_due_pools", help: "Pools with a pass due." },
  unserved: { name: "calltrack_unserved_sources", help: "Sources that should have a call tracker but have none." },
  missing: { name: "calltrack_missing_numbers", help: "Numbers that the inventory lacks to fill all pools." },
  failing: { name: "calltrack_failing_pools", help: "Pools whose last pass failed." },
};

/** How long the database may take: Prometheus waits ten seconds for all metrics together. */
const MOST_MS = 2000;

/**
 * Registers the metrics of the capacity of all pools, and whether the database answers. They are read from it when they are asked
 * for: every process on it tells the same. While it does not answer, the capacity is not told, and all other metrics are.
 */
export function registerCapacityMetrics(db: Executor, registry: Registry): void {
  let reading: Promise<Capacity | undefined> | undefined;
  // All of them are asked for at the same moment.
  const read = () => {
    reading ??= withTimeLimit(readCapacity(db), MOST_MS, () => new Error("the database took too long"))
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  new Gauge({
    name: "calltrack_database_up",
    help: "Whether the database is reachable.",
    registers: [registry],
    async collect() {
      this.set((await read()) === undefined ? 0 : 1);
    },
  });
  for (const [part, { name, help }] of Object.entries(GAUGES)) {
    registerSeries(registry, {
      name,
      help,
      type: "gauge",
      async values() {
        const capacity = await read();
        return capacity === undefined
          ? []
          : [{ metricName: name, labels: {}, value: capacity[part as keyof Capacity] }];
      },
    });
  }
}
