import type { Logger } from "pino";

/** A job that deletes or closes one kind of expired data. */
export interface UpkeepJob {
  /** The name of the data in the log, such as `visits`. */
  readonly name: string;
  /** Deletes or closes the expired data in short statements. Concurrent runs, even on several servers, are safe. */
  run(): Promise<unknown>;
}

/** Runs upkeep jobs at intervals, even on a server that does not manage pools. */
export type UpkeepRunner = ReturnType<typeof createUpkeepRunner>;

export interface UpkeepSchedule {
  /** Delay before the first run, so that a starting server serves requests first. Default: 30 seconds. */
  readonly firstRunMs?: number;
  /** Time between the end of a run and the next one. Default: 1 hour. */
  readonly intervalMs?: number;
}

/**
 * Creates a runner, which does nothing until it is started. Jobs run one after the other. A failed job is logged and
 * retried at the next interval; the remaining jobs still run.
 */
export function createUpkeepRunner(
  jobs: readonly UpkeepJob[],
  log: Logger,
  { firstRunMs = 30_000, intervalMs = 60 * 60_000 }: UpkeepSchedule = {},
) {
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
        log.warn(
          { err: error, data: name },
          "expired data could not be deleted, or calls could not be closed: retrying at the next interval",
        );
      }
    }
  }

  return {
    start: () => schedule(firstRunMs),
    /** Waits for the job in progress; starts no further jobs. */
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
