import { setTimeout as pause } from "node:timers/promises";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { Gauge, type Registry } from "prom-client";
import { prepareStatement } from "../database/prepared-statement.js";
import { registerSeries } from "../observability/metrics/histogram-series.js";
import { clockNow } from "./clock.js";
import { nextPassTime } from "./pass-schedule-statements.js";

/** How far the capacity of all pools together reaches. */
interface Capacity {
  readonly due: number;
  readonly unserved: number;
  readonly missing: number;
  readonly failing: number;
}

/** Each part reads only the pools that it counts, by an index of theirs, however many others there are. */
const capacityStatement = prepareStatement<object, Capacity>((db) =>
  db.selectNoFrom([
    sql<number>`(select count(*)::float8 from pool_passes
      where ${nextPassTime} < 'infinity' and ${nextPassTime} <= ${clockNow})`.as("due"),
    sql<number>`(select coalesce(sum(unserved_sources), 0)::float8 from pool_passes
      where unserved_sources > 0)`.as("unserved"),
    sql<number>`(select coalesce(sum(missing_numbers), 0)::float8 from pool_passes
      where wanted_area_code is not null)`.as("missing"),
    sql<number>`(select count(*)::float8 from pool_passes where failures > 0)`.as("failing"),
  ]),
);

/** How far the capacity of all pools reaches now. */
async function readCapacity(db: Executor): Promise<Capacity> {
  const [row] = await capacityStatement(db, {});
  // A select without a table has one row.
  return row as Capacity;
}

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
    reading ??= Promise.race([readCapacity(db), pause(MOST_MS, undefined, { ref: false })])
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
