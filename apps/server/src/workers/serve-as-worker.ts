import type { Config } from "../config/config.js";
import { explainFailure } from "../errors/server-failure.js";
import { createLog } from "../observability/log.js";
import { logProcessEvents } from "../observability/log-process-events.js";
import { startServer } from "../start-server.js";
import type { RunningServer } from "./running-server.js";
import { whenAborted } from "./stop-signal.js";
import { onPrimaryMessage, sendToPrimary, WORKER_NUMBER } from "./worker-message.js";
import { createWorkerMetrics } from "./worker-metrics.js";

/**
 * Serves in a worker process until a signal or a message from the primary process stops it. Node.js ends a worker whose
 * primary is gone.
 */
export async function serveAsWorker(config: Config, stop: AbortSignal): Promise<void> {
  const number = Number(process.env[WORKER_NUMBER]);
  const server = await start(config, number, stop);
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
  const signalled = whenAborted(stop).then(stopServer);
  if (!stop.aborted) await sendToPrimary({ kind: "ready", port: server.port });
  await Promise.race([told, signalled, server.failed]);
}

/** Sends a failure to the primary, which reports it once for all workers. */
async function start(config: Config, number: number, stop: AbortSignal): Promise<RunningServer> {
  const log = createLog(config.logLevel, number);
  logProcessEvents(log);
  try {
    return await startServer(config, log, createWorkerMetrics(number), stop);
  } catch (error) {
    const failure = explainFailure(error);
    await sendToPrimary({ kind: "failed", failure });
    process.exit(failure.exitCode);
  }
}
