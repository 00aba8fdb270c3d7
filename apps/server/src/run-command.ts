import cluster from "node:cluster";
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { type CommandLine, type CommandName, parseCommandLine, USAGE } from "./commands/command-line.js";
import { writeStdout } from "./commands/write-stdout.js";
import { type Config, readProcessConfig } from "./config/config.js";
import { isLoopbackHost } from "./config/loopback-host.js";
import { OPS_ADDRESS_VARIABLES } from "./config/ops-address.js";
import { readReleaseVersion } from "./config/release-version.js";
import { exitWithFailure } from "./errors/server-failure.js";
import { requireFreeAddress } from "./http/listen-on-address.js";
import { LineWriter } from "./observability/line-writer.js";
import { createLogger } from "./observability/log.js";
import { logProcessEvents } from "./observability/log-process-events.js";
import type { RunningServer } from "./running-server.js";
import { whenAborted } from "./stop-signal.js";
import { WorkerGroup } from "./workers/worker-group.js";

/** Time for a stopped command to roll back and clean up. */
const MAX_CLEANUP_MS = 2000;

/**
 * Runs a command of the program, `serve` by default, and ends the process.
 *
 * @param args the arguments after the program's name.
 * @param stop see `createStopSignal`.
 */
export async function runCommand(args: readonly string[], stop: AbortSignal): Promise<never> {
  try {
    const { command, file } = parseCommandLine(args);
    if (command === "help") await writeStdout(USAGE);
    else if (command === "version") await writeStdout(`${readReleaseVersion()}\n`);
    else if (command === "serve") await serve(readProcessConfig(), stop);
    else await runUntilStopped(COMMANDS[command], file, stop);
    process.exit(0);
  } catch (error) {
    exitWithFailure(error);
  }
}

/** Runs a command other than `serve`. When the process is stopped, running statements are canceled and rolled back. */
async function runUntilStopped(run: Command, file: CommandLine["file"], stop: AbortSignal): Promise<void> {
  const config = readProcessConfig();
  const { runWithDeadline } = await import("@calltrack/postgres");
  const late = whenAborted(stop).then(() => pause(MAX_CLEANUP_MS));
  try {
    await Promise.race([runWithDeadline(stop, () => run(config, file, stop)), late.then(() => stop.throwIfAborted())]);
  } catch (error) {
    if (stop.aborted) process.exit(stop.reason);
    throw error;
  }
}

type Command = (config: Config, file: CommandLine["file"], stop: AbortSignal) => Promise<void>;

/** Each command imports its modules when it runs, to keep the process that distributes connections to workers small. */
const COMMANDS: Readonly<Record<Exclude<CommandName, "help" | "serve" | "version">, Command>> = {
  migrate: async (config, _, stop) => (await import("./commands/migrate-database.js")).migrateDatabase(config, stop),
  distribute: async (config, _, stop) =>
    (await import("./commands/distribute-database.js")).distributeDatabase(config, stop),
  "create-admin-key": async (config, _, stop) =>
    (await import("./commands/create-admin-key.js")).createAdminKey(config, stop),
  backup: async (...given) => (await import("./commands/back-up-database.js")).backUpDatabase(...given),
  dump: async (...given) => (await import("./commands/dump-database.js")).dumpDatabase(...given),
  restore: async (...given) => (await import("./commands/restore-database.js")).restoreDatabase(...given),
  openapi: async (config, file) => (await import("./commands/write-api-document.js")).writeApiDocument(config, file),
};

/** Serves until the process is stopped, which may happen before the server listens. */
async function serve(config: Config, stop: AbortSignal): Promise<void> {
  // SIGHUP ends the process by default, but logrotate and `systemctl reload` send it to running servers.
  process.on("SIGHUP", () => {});
  if (cluster.isWorker) {
    const { serveAsWorker } = await import("./workers/serve-as-worker.js");
    const { startServer } = await import("./start-server.js");
    return serveAsWorker(config, (log, metrics) => startServer(config, log, metrics, stop), stop);
  }
  const log = await createLogger(config.logLevel);
  logProcessEvents(log);
  if (config.auth === undefined && !isLoopbackHost(config.host)) {
    log.warn({ host: config.host }, "AUTH=none: everyone who can reach the server has full access");
  }
  // Checks the addresses first, so that a server with an unavailable address does not migrate the database.
  await requireFreeAddress(config, { host: "HOST", port: "PORT" });
  if (config.ops !== undefined) await requireFreeAddress(config.ops, OPS_ADDRESS_VARIABLES);
  const server = await (config.workers === 1 ? startAlone(config, log, stop) : WorkerGroup.start(config, log, stop));
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  // Logs the advice only after the start, so that a failed start prints one line.
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
