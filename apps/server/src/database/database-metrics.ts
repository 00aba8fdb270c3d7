import type { ConnectionPoolStats } from "@calltrack/postgres";
import { Gauge, Histogram, type Registry } from "prom-client";
import type { DatabaseHandle, DatabaseObserver } from "./open-database.js";

/** The upper bounds of the histogram, in seconds. */
const BUCKETS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics of SQL statements, and returns the function that records the duration of a statement. */
export function registerStatementMetrics(registry: Registry): NonNullable<DatabaseObserver["onStatement"]> {
  const durations = new Histogram({
    name: "calltrack_database_statement_duration_seconds",
    help: "Duration of SQL statements. Includes the wait for a connection, except within a transaction.",
    labelNames: ["use"] as const,
    buckets: BUCKETS,
    registers: [registry],
  });
  return (use, ms) => durations.observe({ use }, ms / 1000);
}

type ConnectionGauge = Gauge<"use" | "state">;

/** Registers the metrics of database connections. Each scrape reads the numbers of connections from the connection pools. */
export function registerConnectionMetrics(database: Pick<DatabaseHandle, "connectionPools">, registry: Registry): void {
  const register = (name: string, help: string, set: (gauge: ConnectionGauge, pool: ConnectionPoolStats) => void) =>
    new Gauge({
      name,
      help,
      labelNames: ["use", "state"],
      registers: [registry],
      collect() {
        for (const pool of database.connectionPools) set(this, pool);
      },
    });
  register("calltrack_database_connections", "Open connections to the database, by state.", (gauge, { use, load }) => {
    const { open, busy } = load();
    gauge.set({ use, state: "busy" }, busy);
    gauge.set({ use, state: "idle" }, open - busy);
  });
  register(
    "calltrack_database_connections_max",
    "Maximum number of connections to the database.",
    (gauge, { use, max }) => gauge.set({ use }, max),
  );
  register(
    "calltrack_database_statements_waiting",
    "Number of statements and transactions that are waiting for a database connection.",
    (gauge, { use, load }) => gauge.set({ use }, load().waiting),
  );
}
