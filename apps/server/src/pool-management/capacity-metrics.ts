import type { Executor } from "@calltrack/postgres";
import { Gauge, type Registry } from "prom-client";
import { registerSeries } from "../observability/metrics/register-series.js";
import { withTimeLimit } from "../observability/time-limit.js";
import { type CapacityTotals, readCapacityTotals } from "./capacity-repository.js";

const GAUGES: Readonly<Record<keyof CapacityTotals, { readonly name: string; readonly help: string }>> = {
  due: { name: "calltrack_due_pools", help: "Pools with a pass due." },
  unserved: { name: "calltrack_unserved_sources", help: "Sources that should have a call tracker but have none." },
  missing: { name: "calltrack_missing_numbers", help: "Numbers missing from the inventory to fill all pools." },
  failing: { name: "calltrack_failing_pools", help: "Pools whose last pass failed." },
};

/** Prometheus waits ten seconds for all metrics together. */
const TIMEOUT_MS = 2000;

/**
 * Registers metrics about all pools together, and whether the database is reachable. They are read from the database
 * on every scrape, so all servers report the same values. If it does not answer, the capacity metrics are omitted.
 */
export function registerCapacityMetrics(db: Executor, registry: Registry): void {
  let reading: Promise<CapacityTotals | undefined> | undefined;
  // A scrape collects all gauges at once; they share one read.
  const read = () => {
    reading ??= withTimeLimit(readCapacityTotals(db), TIMEOUT_MS, () => new Error("the database took too long"))
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
          : [{ metricName: name, labels: {}, value: capacity[part as keyof CapacityTotals] }];
      },
    });
  }
}
