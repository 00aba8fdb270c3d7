import { type Executor, isDatabaseUnavailable, runDetached } from "@calltrack/postgres";
import type { Logger } from "pino";
import { lookIntervalMs } from "../config/pool-rules.js";
import type { PassObserver } from "../observability/metrics/pass-metrics.js";
import { readClock } from "./clock/clock-repository.js";
import {
  claimPool,
  findDuePools,
  findLastPass,
  makeAllDue,
  postponePool,
  wakePoolsLackingNumbers,
} from "./pass-repository.js";
import type { DuePool } from "./pass-schedule-statements.js";
import { type PassTools, passPool } from "./pool-pass.js";

/** Manages pools that are due, beside all other servers on the same database. */
export interface PassRunner {
  /** What its passes work with, and what plans and explanations of them need. */
  readonly tools: PassTools;
  /** Looks for due pools from now on, at once and then at the interval of `lookIntervalMs`. */
  start(): void;
  /** Looks for due pools soon, if it was started: something was changed that makes some due. */
  wake(): void;
  /** Manages what is due until nothing is. */
  runDue(): Promise<void>;
  /** Like `runDue`, but for what became due long before what was found the last time. */
  runNewlyDue(): Promise<void>;
  /** Stops looking, and waits for the passes under way. */
  stop(): Promise<void>;
}

/** How many due pools are looked up at a time. */
const BATCH = 100;

/**
 * How long after the moment at which a pool is due that may be seen by others: it is the moment at which the transaction began
 * that made it due. Twice the time that a statement has.
 */
const LATEST_COMMIT_MS = 60_000;

/** Passes at a time: each has a connection to itself for as long as it takes. */
const CONCURRENCY = 2;

/** A pass that does not come to its end is begun anew after this. */
const LEASE_MS = 60_000;

const LONGEST_POSTPONEMENT_MS = 10 * 60_000;

/** Creates a runner; it does nothing until it is started. */
export function createPassRunner(db: Executor, tools: PassTools, observer: PassObserver, log: Logger): PassRunner {
  let isStopped = false;
  let running: Promise<void> | undefined;
  let isWoken = false;
  let lookSince: Date | "-infinity" = "-infinity";
  let looksAtAll = true;
  let clockShowed: Date | undefined;
  let timer: NodeJS.Timeout | undefined;

  /**
   * One run at a time; what wakes the runner meanwhile makes it run once more.
   *
   * @param atAll whether it looks for all that is due, or begins where it last found something: the index keeps an entry of
   * every pass until PostgreSQL vacuums the table, and the more pools there are the longer it puts that off.
   */
  function runSoon(atAll: boolean): Promise<void> {
    isWoken = true;
    looksAtAll ||= atAll;
    running ??= runDetached(runWhileWoken).finally(() => {
      running = undefined;
    });
    return running;
  }

  async function runWhileWoken(): Promise<void> {
    while (isWoken && !isStopped) {
      isWoken = false;
      try {
        await runAllDue();
      } catch (error) {
        // The next look is at the next interval: the database is down, or what is wrong is in the log.
        log[isDatabaseUnavailable(error) ? "warn" : "error"]({ err: error }, "pool passes failed");
      }
    }
  }

  async function runAllDue(): Promise<void> {
    if (looksAtAll) await followClock();
    await wakePoolsLackingNumbers(db);
    for (;;) {
      if (looksAtAll) lookSince = "-infinity";
      looksAtAll = false;
      const due = await findDuePools(db, lookSince, BATCH);
      if (due[0] === undefined) return;
      lookSince = new Date(due[0].due_at.getTime() - LATEST_COMMIT_MS);
      shuffle(due);
      const passes = Array.from({ length: CONCURRENCY }, () => passAll(due));
      // If one fails, the others go on.
      const passed = await Promise.all(passes).finally(() => Promise.allSettled(passes));
      // All were taken by other servers: they do what is due.
      if (!passed.some(Boolean) || isStopped) return;
    }
  }

  /**
   * Makes all pools due if the clock shows an earlier time than before: else those that were due, or planned, by the earlier one
   * would wait until it has caught up.
   */
  async function followClock(): Promise<void> {
    const [now, before] = [await readClock(db), clockShowed ?? (await findLastPass(db))];
    clockShowed = now;
    if (before === undefined || before.getTime() - now.getTime() < tools.rules.passIntervalMs) return;
    log.warn({ before, now }, "the clock moved backwards: rescheduling all pools");
    await makeAllDue(db);
  }

  /** Passes over pools until there are no more in the list; whether there was one that nobody else had taken. */
  async function passAll(due: DuePool[]): Promise<boolean> {
    let hasPassed = false;
    for (let pool = due.pop(); pool !== undefined && !isStopped; pool = due.pop()) {
      if (await passOrPostpone(pool)) hasPassed = true;
    }
    return hasPassed;
  }

  async function passOrPostpone(due: DuePool): Promise<boolean> {
    const pool = await claimPool(db, due, LEASE_MS);
    if (pool === undefined) return false;
    const begin = performance.now();
    const seconds = () => (performance.now() - begin) / 1000;
    try {
      const outcome = await passPool(db, tools, pool);
      if (outcome === "frozen") observer.observe("frozen", seconds());
      else {
        observer.observe("managed", seconds(), outcome);
        // Other pools may lack the numbers that it gave back.
        if (outcome.changes.some(({ kind }) => kind === "deleted")) isWoken = true;
      }
      return true;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const failures = await postponePool(
        db,
        pool,
        "an internal error: the service's log has the cause",
        LONGEST_POSTPONEMENT_MS,
      );
      observer.observe("failed", seconds());
      log.error({ err: error, pool: pool.pool_id, failures }, "a pool pass failed");
      return true;
    }
  }

  return {
    tools,
    start() {
      void runSoon(true);
      timer = setInterval(() => void runSoon(true), lookIntervalMs(tools.rules));
    },
    wake() {
      if (timer !== undefined) void runSoon(false);
    },
    runDue: () => runSoon(true),
    runNewlyDue: () => runSoon(false),
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Into any order, so that servers that look at the same moment do not all try for the same pool first. */
function shuffle<T>(values: T[]): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [values[last], values[other]] = [values[other] as T, values[last] as T];
  }
}
