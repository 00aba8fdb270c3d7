import { Gauge, type Registry } from "prom-client";
import type { Executor } from "../storage/prepared-statement.js";
import { type Capacity, readCapacity } from "./capacity-repository.js";

const GAUGES: Readonly<Record<keyof Capacity, { readonly name: string; readonly help: string }>> = {
  due: { name: "calltrack_due_pools", help: "Pools that are due to be managed." },
  unserved: { name: "calltrack_unserved_sources", help: "Sources that should have a call tracker and have none." },
  missing: { name: "calltrack_missing_numbers", help: "Numbers that the inventory lacks to fill all pools." },
  failing: { name: "calltrack_failing_pools", help: "Pools whose last pass failed." },
};

/**
 * Registers the metrics of the capacity of all pools. They are read from the database when they are asked for: every process
 * on it tells the same.
 */
export function registerCapacityMetrics(db: Executor, registry: Registry): void {
  let reading: Promise<Capacity> | undefined;
  // All of them are asked for at the same moment.
  const read = () => {
    reading ??= readCapacity(db).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  for (const [part, { name, help }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await read())[part as keyof Capacity]);
      },
    });
  }
}
