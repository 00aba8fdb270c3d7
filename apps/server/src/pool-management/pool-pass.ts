import { countNeededNumbers, type PassInput, type PassOutcome, runPass } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { PoolRules } from "../config/pool-rules.js";
import type { NumberCarrier } from "./number-carrier.js";
import { writePassOutcome } from "./pass-repository.js";
import { finishPassStatement, freezePoolStatement, type LeasedPool } from "./pass-schedule-statements.js";
import { lockPoolStatement, type PassPoolRow } from "./pass-statements.js";
import { readPoolSnapshot } from "./pool-snapshot.js";
import { runInTimeSlices } from "./run-in-time-slices.js";

/** The dependencies that passes, plans and explanations share, besides the database. */
export interface PassDependencies {
  readonly carrier: NumberCarrier;
  readonly rules: PoolRules;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Runs a pass over a leased pool in one transaction. Returns its outcome, or `"frozen"` if the account is disabled. */
export async function runPoolPass(
  db: Executor,
  { carrier, rules }: PassDependencies,
  pool: LeasedPool,
): Promise<PassOutcome | "frozen"> {
  return db.transaction(async (transaction): Promise<PassOutcome | "frozen"> => {
    const [row] = await lockPoolStatement(transaction, pool);
    if (row?.is_active !== true) {
      // Enabling the account makes the pool due again.
      await freezePoolStatement(transaction, pool);
      return "frozen";
    }
    const { state, rows } = await readPoolSnapshot(transaction, rules, { ...pool, ...row });
    const vacancies = countNeededNumbers(state.pool, state.trackers);
    const inventory = vacancies === 0 ? [] : await carrier.search(transaction, row.area_code, vacancies);
    const done = await runInTimeSlices(runPass({ ...state, inventory }));
    const { added, deleted } = await writePassOutcome(transaction, pool, rows, done);
    if (added.length > 0) await carrier.buy(transaction, added);
    if (deleted.length > 0) await carrier.release(transaction, deleted, rules.numberRestMs);
    await finish(transaction, { ...pool, ...row }, state, done);
    return done;
  });
}

async function finish(
  db: Executor,
  pool: LeasedPool & PassPoolRow,
  { now, sources }: Pick<PassInput, "now" | "sources">,
  { missing, unserved, nextDueAt, trackers }: PassOutcome,
): Promise<void> {
  const times = [
    nextDueAt?.getTime(),
    // At midnight the visit window moves, and the visits of its oldest day no longer count.
    sources.length > 0 || trackers.some(({ source }) => source) ? nextMidnight(now) : undefined,
  ].filter((time) => time !== undefined);
  await finishPassStatement(db, {
    account_id: pool.account_id,
    pool_id: pool.pool_id,
    leased_until: pool.leased_until,
    // If `times` is empty, the pool does not change by itself, so no pass is scheduled.
    dueAt: times.length === 0 ? "infinity" : new Date(Math.min(...times)),
    wantedAreaCode: missing > 0 ? pool.area_code : null,
    missing,
    unserved: unserved.length,
  });
}

function nextMidnight(now: Date): number {
  return (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
}
