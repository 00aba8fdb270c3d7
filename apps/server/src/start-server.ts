import type { Logger } from "pino";
import { createPassRunner } from "./call-trackers/pass-runner.js";
import type { Config } from "./config.js";
import { inventoryCarrier } from "./inventory/inventory-carrier.js";
import { registerCapacityMetrics } from "./metrics/capacity-metrics.js";
import { registerPassMetrics } from "./metrics/pass-metrics.js";
import { registerReplicaMetrics } from "./metrics/replica-metrics.js";
import type { ServerMetrics } from "./metrics/server-metrics.js";
import { createServer } from "./server.js";
import { openDatabase } from "./storage/database.js";
import { findDistribution } from "./storage/distribution/find-distribution.js";
import { migrateToLatest } from "./storage/migrate.js";

/** A server that answers requests. */
export interface RunningServer {
  readonly port: number;
  /** Rejects when it cannot go on. */
  readonly failed: Promise<never>;
  /** Lets the requests that run finish, takes no new ones, and closes the database. */
  stop(): Promise<void>;
}

/**
 * Migrates the database, and serves in this process.
 *
 * @throws the database's error, or that of listening.
 */
export async function startServer(config: Config, log: Logger, metrics: ServerMetrics): Promise<RunningServer> {
  const database = openDatabase(
    await findDistribution(config.database),
    (error) => log.warn({ err: error }, "a database connection was lost"),
    registerReplicaMetrics(metrics.own, log),
  );
  const applied = await migrateToLatest(database.db);
  if (applied.length > 0) log.info({ applied }, "migrated the database");
  const shutdown = new AbortController();
  const tools = { carrier: inventoryCarrier, rules: config.poolRules };
  registerCapacityMetrics(database.db, metrics.shared);
  const runner = createPassRunner(database.db, tools, registerPassMetrics(metrics.own), log);
  const server = createServer(config, database, log, runner, metrics, shutdown.signal);
  const port = await server.listen(config.port, config.host);
  if (config.managesPools) runner.start();
  return {
    port,
    // What fails is a request at most.
    failed: new Promise(() => {}),
    async stop() {
      log.info("stopping");
      shutdown.abort();
      await server.close();
      await runner.stop();
      await database.close();
    },
  };
}
