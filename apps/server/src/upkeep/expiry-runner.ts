import type { Logger } from "pino";

/** Deletes one kind of expired data. */
export interface ExpiryJob {
  /** Names the data in the log, such as `visits`. */
  readonly name: string;
  /** Deletes what has expired, in short statements. Running it twice at a time, also on several servers, does no harm. */
  run(): Promise<unknown>;
}

/** Deletes expired data while the server runs, whether or not it manages pools. */
export interface ExpiryRunner {
  start(): void;
  /** Stops after the job in progress, and waits for that. */
  stop(): Promise<void>;
}

/** When jobs run. */
export interface ExpirySchedule {
  /** Time from the start to the first run, so that a server that starts serves requests first. Default: 30 seconds. */
  readonly firstRunMs?: number;
  /** Time between the end of a run and the next one. Default: an hour. */
  readonly intervalMs?: number;
}

/**
 * Creates a runner, which does nothing until it is started. Jobs run one after the other, on one connection. A job that fails is
 * logged and runs again with the next interval; the others run all the same.
 */
export function createExpiryRunner(
  jobs: readonly ExpiryJob[],
  log: Logger,
  { firstRunMs = 30_000, intervalMs = 60 * 60_000 }: ExpirySchedule = {},
): ExpiryRunner {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  function schedule(afterMs: number): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = runAll().finally(() => schedule(intervalMs));
    }, afterMs);
  }

  async function runAll(): Promise<void> {
    for (const { name, run } of jobs) {
      if (isStopped) return;
      try {
        await run();
      } catch (error) {
        log.warn({ err: error, data: name }, "expired data could not be deleted");
      }
    }
  }

  return {
    start: () => schedule(firstRunMs),
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
