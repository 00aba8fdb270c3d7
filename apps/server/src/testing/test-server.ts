import { pino } from "pino";
import { inventoryCarrier } from "../api/inventory/inventory-carrier.js";
import type { AppDependencies } from "../app.js";
import { assembleServer } from "../assemble-server.js";
import { applyClockSetting } from "../clock/clock-setting.js";
import { type Config, readConfig } from "../config/config.js";
import type { DatabaseLocation } from "../config/database-location.js";
import type { LimitsSettings } from "../config/limits-settings.js";
import { detectCitusDistribution } from "../database/detect-citus-distribution.js";
import { migrateToLatest } from "../database/migrate.js";
import { type Database, openDatabase } from "../database/open-database.js";
import type { ServerMetrics } from "../observability/metrics/server-metrics.js";
import { createServerMetrics } from "../observability/metrics/server-metrics.js";
import type { NumberCarrier } from "../pool-management/number-carrier.js";
import { createTestDatabase, dropTestDatabase, type Engine } from "./test-database.js";

/** The settings that replace a test server's defaults. A setting that is absent keeps its default. */
export interface TestServerConfig extends Partial<Omit<Config, "limits">> {
  readonly limits?: Partial<LimitsSettings>;
  /** Supplies the numbers for call trackers. Default: the inventory. */
  readonly carrier?: NumberCarrier;
  /** Whether events are sent to webhook endpoints. Default: false. */
  readonly sendsWebhooks?: boolean;
  /** Dependencies that replace the app's defaults, such as its silent log, or that the app does not have by default, such as tracing. */
  readonly parts?: Partial<Pick<AppDependencies, "log" | "tracing" | "pages"> & { readonly metrics: ServerMetrics }>;
}

const log = pino({ level: "silent" });

const DEFAULTS = readConfig({
  OPS_PORT: "0",
  DATA_DIR: "memory://",
  PUBLIC_URL: "https://calls.example",
  SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
});

/** A server in the test process, with its own database. */
export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** The URL of the metrics port, `http://127.0.0.1:PORT`. */
  readonly opsUrl: string;
  /** The server's database, for tests that change or lock rows directly. */
  readonly database: Database;
  /** Runs the pass of each pool that is due for one, including pools that recorded visits make due. */
  runDue(): Promise<void>;
  closeOverdueCalls(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server on a new database and waits until it is ready. `stop` removes the database. */
export async function startTestServer(engine: Engine, config: TestServerConfig = {}): Promise<TestServer> {
  const location = await createTestDatabase(engine);
  const server = await serveDatabase(location, config);
  return {
    ...server,
    async stop() {
      await server.stop();
      await dropTestDatabase(engine, location);
    },
  };
}

export async function serveDatabase(
  location: DatabaseLocation,
  { carrier = inventoryCarrier, parts: givenParts, limits, sendsWebhooks, ...config }: TestServerConfig = {},
): Promise<TestServer> {
  const database = openDatabase(await detectCitusDistribution(location));
  await migrateToLatest(database.kysely);
  await applyClockSetting(database.kysely, config.hasVirtualClock ?? DEFAULTS.hasVirtualClock, log);
  const shutdown = new AbortController();
  const settings = { ...DEFAULTS, ...config, database: location, limits: { ...DEFAULTS.limits, ...limits } };
  const { app, runner } = assembleServer(settings, {
    ...{ database, carrier, shutdown: shutdown.signal, tracing: undefined },
    ...{ log, metrics: createServerMetrics() },
    ...givenParts,
  });
  const { port, opsPort } = await app.listen(0, "127.0.0.1");
  if (settings.managesPools) runner.start();
  if (sendsWebhooks) app.webhooks.start();
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    database,
    async runDue() {
      // RecordVisits responds before the visited pools become due for a pass. Without this wait, a pool could become due after the passes have run.
      await app.settleVisits();
      await runner.runDue();
    },
    closeOverdueCalls: app.closeOverdueCalls,
    async stop() {
      shutdown.abort();
      await app.close();
      await runner.stop();
      await app.webhooks.stop();
      await database.close();
    },
  };
}
