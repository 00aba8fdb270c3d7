import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { collectDefaultMetrics } from "prom-client";
import { inventoryCarrier } from "./api/inventory/inventory-carrier.js";
import { assembleServer } from "./assemble-server.js";
import { applyClockSetting } from "./clock/clock-setting.js";
import { closeWithTimeout } from "./close-with-timeout.js";
import type { Config } from "./config/config.js";
import { registerConnectionMetrics, registerStatementMetrics } from "./database/database-metrics.js";
import { startDatabase } from "./database/start-database.js";
import type { ServerMetrics } from "./observability/metrics/server-metrics.js";
import type { RunningServer } from "./running-server.js";
import { whenAborted } from "./stop-signal.js";
import { createExpiryJobs } from "./upkeep/expiry-jobs.js";
import { createUpkeepRunner } from "./upkeep/upkeep-runner.js";

/** Time to wait for an unreachable database or a migration before the server listens without the database. */
const MAX_DATABASE_WAIT_MS = 3000;

/** Time between two searches for calls whose end was not reported in time. */
const CLOSING_INTERVAL_MS = 60_000;

/** Time limits for closing resources after the last request. docs/deployment.md states the total. */
const CLOSE_MS = { background: 1000, database: 2000, tracing: 2000 };

/**
 * Migrates the database and serves in this process. If the database is unreachable, the server starts anyway: until the database
 * is reachable, RPCs fail with `UNAVAILABLE` and `/readyz` reports that the server is not ready.
 *
 * @param stop ends the start early: the returned server does not listen, and must be stopped.
 * @throws ConfigError or UnusableDatabaseError if the database cannot be used, and the error of `listenOnAddress`.
 */
export async function startServer(
  config: Config,
  log: Logger,
  metrics: ServerMetrics,
  stop: AbortSignal,
): Promise<RunningServer> {
  const tracing = config.isTracingEnabled
    ? (await import("./observability/tracing/start-tracing.js")).startTracing(config, log)
    : undefined;
  const observer = { onStatement: registerStatementMetrics(metrics.own) };
  const { database, ready, firstAttempt } = startDatabase(config, log, observer, (db) =>
    applyClockSetting(db, config.hasVirtualClock, log),
  );
  registerConnectionMetrics(database, metrics.own);
  const shutdown = new AbortController();
  collectDefaultMetrics({ register: metrics.own });
  const parts = { database, metrics, log, shutdown: shutdown.signal, tracing, carrier: inventoryCarrier };
  const { app, runner } = assembleServer(config, parts);
  const expiry = createUpkeepRunner(createExpiryJobs(database.db, config), log);
  const overdue = [{ name: "calls whose end was not reported", run: app.closeOverdueCalls }];
  const closing = createUpkeepRunner(overdue, log, { intervalMs: CLOSING_INTERVAL_MS });
  const maxWaitMs = config.database.kind === "postgres" ? MAX_DATABASE_WAIT_MS : undefined;
  const started =
    maxWaitMs === undefined ? ready : Promise.race([firstAttempt, pause(maxWaitMs, undefined, { ref: false })]);
  await Promise.race([started, whenAborted(stop)]);
  const port = stop.aborted ? 0 : (await app.listen(config.port, config.host)).port;
  const serving = ready.then(() => {
    if (shutdown.signal.aborted) return;
    if (config.managesPools) runner.start();
    expiry.start();
    closing.start();
    app.webhooks.start();
  });
  // Ignores the errors of a server that is stopped before it is ready.
  const failed = serving.catch((error: unknown) => {
    if (!shutdown.signal.aborted) throw error;
  });
  return {
    port,
    failed: failed.then(() => new Promise<never>(() => {})),
    async stop() {
      log.info("stopping");
      shutdown.abort();
      await app.close();
      await Promise.all([
        closeWithTimeout("pool management", CLOSE_MS.background, log, () => runner.stop()),
        closeWithTimeout("deletion of expired data", CLOSE_MS.background, log, () => expiry.stop()),
        closeWithTimeout("the timer that closes calls", CLOSE_MS.background, log, () => closing.stop()),
        closeWithTimeout("webhook deliveries", CLOSE_MS.background, log, () => app.webhooks.stop()),
      ]);
      await closeWithTimeout("the database", CLOSE_MS.database, log, () => database.close());
      await closeWithTimeout("the export of traces", CLOSE_MS.tracing, log, () => tracing?.close());
    },
  };
}
