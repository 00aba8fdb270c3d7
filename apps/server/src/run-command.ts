import cluster from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { type Config, readConfig } from "./config/config.js";
import { ConfigError } from "./config/config-error.js";
import { isLoopback } from "./config/loopback.js";
import { OPS_VARIABLES } from "./config/ops-settings.js";
import { endProcess } from "./errors/server-failure.js";
import { requireFreeAddress } from "./http/listen.js";
import { LineWriter } from "./observability/line-writer.js";
import { createLog } from "./observability/log.js";
import { logProcessEvents } from "./observability/log-process-events.js";
import type { RunningServer } from "./running-server.js";
import { whenAborted } from "./stop-signal.js";
import { WorkerGroup } from "./workers/worker-group.js";

const USAGE = `Usage: calltrack-server [serve | migrate | distribute | create-admin-key | backup FOLDER | dump FILE | restore FILE |
                         openapi [FILE]]

  serve             migrate the database and serve (the default); waits for an unreachable database
  migrate           migrate the database and exit
  distribute        migrate the database, distribute it over its Citus cluster and exit
  create-admin-key  create an API key with the scope admin, print it and exit; the key cannot be shown again
  backup            copy the embedded database to FOLDER and exit; stop its server first
  dump              write all data of the database to FILE (- for stdout) and exit
  restore           load a dump from FILE (- for stdin) into an empty database and exit
  openapi           write the OpenAPI document of the JSON paths to FILE, or to stdout, and exit

Environment variables:

  listening   HOST, PORT, WORKERS, BASE_PATH, PUBLIC_URL, TLS_CERT, TLS_KEY, TLS_CLIENT_CA
  callers     AUTH, PUBLIC_HOSTS, TLS_CLIENT_SCOPES, OIDC_ISSUER, OIDC_AUDIENCE, OIDC_SCOPE_CLAIM, OIDC_ACCOUNT_CLAIM
  limits      MAX_BODY_SIZE, REQUEST_TIMEOUT, MAX_REQUESTS, RATE_LIMIT_CALLER, RATE_LIMIT_ADDRESS, TRUSTED_PROXIES
  database    DATABASE_URL, DATA_DIR, SECRETS_KEY
  pools       UNREGISTERED_NUMBERS, POOL_MINIMUM, VISIT_THRESHOLD, VISIT_WINDOW_DAYS, GRACE_PERIOD, PASS_INTERVAL,
              NUMBER_REST, PASSES, CLOCK
  calls       CALL_RETENTION, CALLER_NUMBERS
  operations  LOG_LEVEL, AUDIT_RETENTION, OPS_PORT, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER and other OTEL_* variables
`;

/** Time that a stopped command has to roll back and to clean up. */
const MAX_CLEANUP_MS = 2000;

/**
 * Runs the command of the program, `serve` by default, and ends the process.
 *
 * @param stop aborts at the first SIGTERM or SIGINT, with the exit code of a command that does not finish as its reason.
 */
export async function runCommand([command = "serve", file]: readonly string[], stop: AbortSignal): Promise<never> {
  try {
    await (command === "serve" ? serve(readConfig(process.env), stop) : runUntilStopped(command, file, stop));
    process.exit(0);
  } catch (error) {
    endProcess(error);
  }
}

/** Runs a command other than `serve`. When the process is stopped, running statements are cancelled and rolled back. */
async function runUntilStopped(command: string, file: string | undefined, stop: AbortSignal): Promise<void> {
  if (command === "--help" || command === "help") return void process.stdout.write(USAGE);
  const run = COMMANDS.get(command);
  if (run === undefined) throw new ConfigError(`unknown command ${command}\n\n${USAGE}`);
  const config = readConfig(process.env);
  const { runWithDeadline } = await import("@calltrack/postgres");
  const late = whenAborted(stop).then(() => pause(MAX_CLEANUP_MS));
  try {
    await Promise.race([runWithDeadline(stop, () => run(config, file, stop)), late.then(() => stop.throwIfAborted())]);
  } catch (error) {
    if (stop.aborted) process.exit(stop.reason);
    throw error;
  }
}

type Command = (config: Config, file: string | undefined, stop: AbortSignal) => Promise<void>;

/** The commands by name. Each imports its modules when it runs, to keep the process that distributes connections to workers small. */
const COMMANDS = new Map<string, Command>([
  ["migrate", async (config) => (await import("./commands/migrate-database.js")).migrateDatabase(config)],
  ["distribute", async (config) => (await import("./commands/distribute-database.js")).distributeDatabase(config)],
  ["create-admin-key", async (config) => (await import("./commands/create-admin-key.js")).createAdminKey(config)],
  ["backup", async (...given) => (await import("./commands/back-up-database.js")).backUpDatabase(...given)],
  ["dump", async (...given) => (await import("./commands/dump-database.js")).dumpDatabase(...given)],
  ["restore", async (...given) => (await import("./commands/restore-database.js")).restoreDatabase(...given)],
  [
    "openapi",
    async (config, file) => (await import("./commands/write-api-document.js")).writeApiDocument(config, file),
  ],
]);

/** Serves until the process is stopped, also before the server listens. */
async function serve(config: Config, stop: AbortSignal): Promise<void> {
  if (cluster.isWorker) {
    const { serveAsWorker } = await import("./workers/serve-as-worker.js");
    const { startServer } = await import("./start-server.js");
    return serveAsWorker(config, (log, metrics) => startServer(config, log, metrics, stop), stop);
  }
  const log = createLog(config.logLevel);
  logProcessEvents(log);
  if (config.auth === undefined && !isLoopback(config.host)) {
    log.warn({ host: config.host }, "AUTH=none: everyone who can reach the server has full access");
  }
  // Check the addresses first, so that a start that fails has not migrated the database.
  await requireFreeAddress(config, { host: "HOST", port: "PORT" });
  if (config.ops !== undefined) await requireFreeAddress(config.ops, OPS_VARIABLES);
  const server = await (config.workers === 1
    ? startAlone(config, log, stop)
    : WorkerGroup.start(config.workers, log, stop));
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  // Not before, so that a start that fails prints one line.
  for (const advice of config.advice) log.warn(advice);
  if (!stop.aborted)
    new LineWriter(1).write(`listening on ${config.tls ? "https" : "http"}://${host}:${server.port}\n`);
  await Promise.race([whenAborted(stop).then(() => server.stop()), server.failed]);
}

async function startAlone(config: Config, log: Logger, stop: AbortSignal): Promise<RunningServer> {
  const { startServer } = await import("./start-server.js");
  const { createServerMetrics } = await import("./observability/metrics/server-metrics.js");
  return startServer(config, log, createServerMetrics(), stop);
}
