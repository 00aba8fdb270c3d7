import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import { explainServerFailure } from "../errors/server-failure.js";
import { createLogger } from "../observability/log.js";
import { logProcessEvents } from "../observability/log-process-events.js";
import type { ServerMetrics } from "../observability/metrics/server-metrics.js";
import type { RunningServer } from "../running-server.js";
import { whenAborted } from "../stop-signal.js";
import { onPrimaryMessage, sendToPrimary, WORKER_NUMBER_VARIABLE } from "./worker-message.js";
import { createWorkerMetrics } from "./worker-metrics.js";

type ServerStart = (log: Logger, metrics: ServerMetrics) => Promise<RunningServer>;

/** Serves in a worker process until a signal or a message from the primary process stops it. Node.js ends a worker whose primary is gone. */
export async function serveAsWorker(
  { logLevel }: Pick<Config, "logLevel">,
  startServer: ServerStart,
  stop: AbortSignal,
): Promise<void> {
  const number = Number(process.env[WORKER_NUMBER_VARIABLE]);
  const server = await start(startServer, await createLogger(logLevel, number), number);
  let stopped: Promise<void> | undefined;
  const stopServer = () => {
    stopped ??= server.stop();
    return stopped;
  };
  const told = new Promise<void>((resolve, reject) =>
    onPrimaryMessage(({ kind }) => {
      if (kind === "stop") stopServer().then(resolve, reject);
    }),
  );
  const signaled = whenAborted(stop).then(stopServer);
  if (!stop.aborted) await sendToPrimary({ kind: "ready", port: server.port });
  await Promise.race([told, signaled, server.failed]);
}

/**
 * Starts the server of a worker. If the start fails, sends the failure to the primary, which reports it once for all workers, and ends the process.
 */
async function start(startServer: ServerStart, log: Logger, number: number): Promise<RunningServer> {
  logProcessEvents(log);
  try {
    return await startServer(log, createWorkerMetrics(number));
  } catch (error) {
    const failure = explainServerFailure(error);
    await sendToPrimary({ kind: "failed", failure });
    process.exit(failure.exitCode);
  }
}
