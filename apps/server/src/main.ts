import { Registry } from "prom-client";
import { writeApiDocument } from "./api-page/write-api-document.js";
import { createPassRunner } from "./call-trackers/pass-runner.js";
import { type Config, ConfigError, readConfig } from "./config.js";
import { inventoryCarrier } from "./inventory/inventory-carrier.js";
import { createLog } from "./log.js";
import { registerCapacityMetrics } from "./metrics/capacity-metrics.js";
import { registerPassMetrics } from "./metrics/pass-metrics.js";
import { createServer } from "./server.js";
import { openDatabase } from "./storage/database.js";
import { migrateToLatest } from "./storage/migrate.js";

const USAGE = `Usage: calltrack-server [serve | migrate | openapi [FILE]]

  serve    migrate the database and serve (the default)
  migrate  migrate the database and exit
  openapi  write the OpenAPI document of the JSON paths to FILE, or to stdout, and exit

It is configured by environment variables: HOST, PORT, DATABASE_URL, DATA_DIR, BASE_PATH, UNREGISTERED_NUMBERS,
DATABASE_PREPARE, LOG_LEVEL, and for how pools are managed POOL_MINIMUM, VISIT_THRESHOLD, VISIT_WINDOW_DAYS, TIMELINE,
PASS_INTERVAL, NUMBER_REST, PASSES, CLOCK.
`;

/** The exit code of a server that was told what it cannot run on. */
const BAD_CONFIGURATION = 2;

async function main(command: string): Promise<void> {
  if (command === "--help" || command === "help") return void process.stdout.write(USAGE);
  if (!["serve", "migrate", "openapi"].includes(command)) {
    throw new ConfigError(`unknown command ${command}\n\n${USAGE}`);
  }
  const config = readConfig(process.env);
  if (command === "openapi") return writeApiDocument(config.basePath, process.argv[3]);
  await (command === "migrate" ? migrate(config) : serve(config));
}

async function migrate(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const database = openDatabase(config.database, (error) => log.warn({ err: error }, "a database connection was lost"));
  try {
    const applied = await migrateToLatest(database.db);
    process.stdout.write(applied.length === 0 ? "the schema is up to date\n" : `applied ${applied.join(", ")}\n`);
  } finally {
    await database.close();
  }
}

async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const database = openDatabase(config.database, (error) => log.warn({ err: error }, "a database connection was lost"));
  const applied = await migrateToLatest(database.db);
  if (applied.length > 0) log.info({ applied }, "migrated the database");
  const shutdown = new AbortController();
  const registry = new Registry();
  registerCapacityMetrics(database.db, registry);
  const tools = { carrier: inventoryCarrier, rules: config.poolRules };
  const runner = createPassRunner(database.db, tools, registerPassMetrics(registry), log);
  const server = createServer(config, database, log, runner, registry, shutdown.signal);
  const port = await server.listen(config.port, config.host);
  const stopped = stopOnSignal(async () => {
    log.info("stopping");
    shutdown.abort();
    await server.close();
    await runner.stop();
    await database.close();
  });
  if (config.managesPools) runner.start();
  process.stdout.write(`listening on http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}\n`);
  await stopped;
}

/** Resolves when the server has stopped after the first SIGTERM or SIGINT; a second one ends the process at once. */
function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (stopping) process.exit(signal === "SIGINT" ? 130 : 143);
      stopping = true;
      stop().then(resolve, reject);
    };
    process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  });
}

/** Why the server could not start, in one line, and what its exit code is. */
function explain(error: unknown): { readonly line: string; readonly exitCode: number } {
  if (error instanceof ConfigError) return { line: error.message, exitCode: BAD_CONFIGURATION };
  if (error instanceof AggregateError) return explain(error.errors[0]);
  return { line: error instanceof Error ? error.message : String(error), exitCode: 1 };
}

main(process.argv[2] ?? "serve").then(
  () => process.exit(0),
  (error: unknown) => {
    const { line, exitCode } = explain(error);
    process.stderr.write(`calltrack-server: ${line}\n`);
    process.exit(exitCode);
  },
);
