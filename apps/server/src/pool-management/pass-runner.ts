import { type Executor, isDatabaseUnavailable, runWithoutDeadline } from "@calltrack/postgres";
import type { Logger } from "pino";
import { readPoolClock } from "../clock/clock.js";
import { computeDueCheckIntervalMs } from "../config/pool-rules.js";
import type { PassObserver } from "./pass-metrics.js";
import { makeAllPoolsDue, makePoolsLackingNumbersDue } from "./pass-repository.js";
import {
  claimPoolStatement,
  type DuePool,
  findDuePoolsStatement,
  findLastPassTimeStatement,
  postponePoolStatement,
} from "./pass-schedule-statements.js";
import { type PassDependencies, runPoolPass } from "./pool-pass.js";

/** Runs passes over due pools, concurrently with other servers on the same database. */
export type PassRunner = ReturnType<typeof createPassRunner>;

const BATCH = 100;

/**
 * The maximum time between the `due_at` of a pool and the commit that makes this value visible to other servers. `due_at` is the start time of the
 * transaction that sets it. The maximum is twice the statement timeout.
 */
const MAX_COMMIT_DELAY_MS = 60_000;

/** The number of concurrent passes. Each pass uses its own database connection. */
const CONCURRENCY = 2;

/** An unfinished pass is repeated after this time. */
const LEASE_MS = 60_000;

const MAX_POSTPONEMENT_MS = 10 * 60_000;

/** Creates a runner, which is idle until it is started. */
export function createPassRunner(db: Executor, tools: PassDependencies, observer: PassObserver, log: Logger) {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let isRunRequested = false;
  let searchSince: Date | "-infinity" = "-infinity";
  let searchesAll = true;
  let lastClockTime: Date | undefined;
  let timer: NodeJS.Timeout | undefined;

  /**
   * Requests a run over due pools. Only one run happens at a time. A request during a run causes another run.
   *
   * @param searchAll whether to search all due pools. Otherwise, the search begins shortly before the earliest `due_at` that the last search found. A
   *   full search reads dead index entries of earlier passes. PostgreSQL cannot vacuum the dead entries while an older transaction is open, such as
   *   that of a dump.
   */
  function requestRun(searchAll: boolean): Promise<void> {
    isRunRequested = true;
    searchesAll ||= searchAll;
    running ??= runWithoutDeadline(runWhileRequested);
    return running;
  }

  async function runWhileRequested(): Promise<void> {
    while (isRunRequested && !isStopped) {
      isRunRequested = false;
      try {
        await runAllDue();
      } catch (error) {
        // The run at the next interval retries the passes.
        log[isDatabaseUnavailable(error) ? "warn" : "error"](
          { err: error },
          "passes over due pools failed: retrying soon",
        );
      }
    }
    // Cleared in the same turn of the event loop as the last check of `isRunRequested`, so that no request is lost.
    running = undefined;
  }

  async function runAllDue(): Promise<void> {
    if (searchesAll) await detectClockStepBack();
    await makePoolsLackingNumbersDue(db);
    for (;;) {
      if (searchesAll) searchSince = "-infinity";
      searchesAll = false;
      const due = await findDuePoolsStatement(db, { since: searchSince, limit: BATCH });
      if (due[0] === undefined) return;
      searchSince = new Date(due[0].due_at.getTime() - MAX_COMMIT_DELAY_MS);
      const passes = Array.from({ length: CONCURRENCY }, () => passAll(due));
      // Waits for all passes, even if one fails.
      const passed = await Promise.all(passes).finally(() => Promise.allSettled(passes));
      // If this server ran no pass, other servers have leased all due pools.
      if (!passed.some(Boolean) || isStopped) return;
    }
  }

  /** Makes all pools due if the clock has stepped back. Otherwise, pools scheduled by the earlier clock would wait until the clock catches up. */
  async function detectClockStepBack(): Promise<void> {
    const [now, before] = [
      await readPoolClock(db),
      lastClockTime ?? (await findLastPassTimeStatement(db, {}))[0]?.passed_at,
    ];
    if (before != null && before.getTime() - now.getTime() >= tools.rules.passIntervalMs) {
      log.warn({ before, now }, "the clock moved backwards: rescheduling all pools");
      await makeAllPoolsDue(db);
    }
    // Assigned only now: if the statement fails, the next run detects the step again.
    lastClockTime = now;
  }

  /** Runs passes over the pools in the list until the list is empty. Returns whether this server ran any pass. */
  async function passAll(due: DuePool[]): Promise<boolean> {
    let hasPassed = false;
    for (let pool = takeRandom(due); pool !== undefined && !isStopped; pool = takeRandom(due)) {
      if (await passOrPostpone(pool)) hasPassed = true;
    }
    return hasPassed;
  }

  async function passOrPostpone(due: DuePool): Promise<boolean> {
    const [pool] = await claimPoolStatement(db, { ...due, leaseMs: LEASE_MS });
    if (pool === undefined) return false;
    const begin = performance.now();
    const seconds = () => (performance.now() - begin) / 1000;
    try {
      const outcome = await runPoolPass(db, tools, pool);
      if (outcome === "frozen") observer.observe("frozen", seconds());
      else {
        observer.observe("managed", seconds(), outcome);
        // Other pools may need the released numbers.
        if (outcome.changes.some(({ kind }) => kind === "deleted")) isRunRequested = true;
      }
      return true;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const failure = "an internal error: see the server's log";
      const [postponed] = await postponePoolStatement(db, { ...pool, failure, maxDelayMs: MAX_POSTPONEMENT_MS });
      observer.observe("failed", seconds());
      log.error({ err: error, pool: pool.pool_id, failures: postponed?.failures }, "a pool pass failed");
      return true;
    }
  }

  return {
    /** The dependencies of passes, which plans and explanations share. */
    tools,
    /** Runs due passes now, and then at the interval of `computeDueCheckIntervalMs`. */
    start() {
      void requestRun(true);
      timer = setInterval(() => void requestRun(true), computeDueCheckIntervalMs(tools.rules));
    },
    /** Runs due passes soon if the runner is started. Call this after a change that makes pools due. */
    wake() {
      if (timer !== undefined) void requestRun(false);
    },
    /** Runs due passes until no pool is due. */
    runDue: () => requestRun(true),
    /** Like `runDue`, but skips pools that became due long before those that the last search found. */
    runNewlyDue: () => requestRun(false),
    /** Stops the schedule and waits for running passes. */
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Removes and returns a random value of the list, so that servers that start together do not compete for the same pool. */
function takeRandom<T>(values: T[]): T | undefined {
  return values.splice(Math.floor(Math.random() * values.length), 1)[0];
}
