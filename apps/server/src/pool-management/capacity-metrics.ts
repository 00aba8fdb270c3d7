import { setTimeout as pause } from "node:timers/promises";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { Gauge, type Registry } from "prom-client";
import { clockNowExpression } from "../clock/clock.js";
import { prepareStatement } from "../database/prepared-statement.js";
import { nextPassTimeExpression } from "./pass-schedule-statements.js";

/** Totals over all pools. `unserved` counts the sources that lack a call tracker, `missing` the numbers that the inventory lacks. */
interface CapacityTotals {
  readonly due: number;
  readonly unserved: number;
  readonly missing: number;
  readonly failing: number;
}

/** Each subquery reads only the pools that it counts, using a partial index. */
const capacityStatement = prepareStatement<object, CapacityTotals>((db) =>
  db.selectNoFrom([
    sql<number>`(select count(*)::float8 from pool_passes
      where ${nextPassTimeExpression} < 'infinity' and ${nextPassTimeExpression} <= ${clockNowExpression})`.as("due"),
    sql<number>`(select coalesce(sum(unserved_sources), 0)::float8 from pool_passes
      where unserved_sources > 0)`.as("unserved"),
    sql<number>`(select coalesce(sum(missing_numbers), 0)::float8 from pool_passes
      where wanted_area_code is not null)`.as("missing"),
    sql<number>`(select count(*)::float8 from pool_passes where failures > 0)`.as("failing"),
  ]),
);

/** How long a scrape waits for the database. By default, Prometheus waits ten seconds for all metrics together. */
const TIMEOUT_MS = 2000;

/**
 * Registers gauges with totals over all pools, and a gauge that tells whether the database is reachable. Every scrape reads the values from the
 * database, so all servers report the same values. If the database does not respond, the totals are omitted.
 */
export function registerPoolCapacityMetrics(db: Executor, registry: Registry): void {
  let reading: Promise<CapacityTotals | undefined> | undefined;
  // A scrape collects all gauges at once; they share one read.
  const read = () => {
    reading ??= Promise.race([capacityStatement(db, {}), pause(TIMEOUT_MS, undefined, { ref: false })])
      .then((rows) => rows?.[0])
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  // A gauge without a value is omitted.
  const register = (name: string, help: string, valueIn: (totals?: CapacityTotals) => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = valueIn(await read());
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  register("calltrack_database_up", "1 if the database is reachable; 0 if not.", (totals) =>
    Number(totals !== undefined),
  );
  register("calltrack_due_pools", "Pools that are due for a pass.", (totals) => totals?.due);
  register(
    "calltrack_unserved_sources",
    "Sources that should have a call tracker but have none.",
    (totals) => totals?.unserved,
  );
  register(
    "calltrack_missing_numbers",
    "Tracking numbers that the inventory additionally needs to fill all pools.",
    (totals) => totals?.missing,
  );
  register("calltrack_failing_pools", "Pools whose last pass failed.", (totals) => totals?.failing);
}
