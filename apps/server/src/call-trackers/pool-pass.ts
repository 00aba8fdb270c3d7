import { type PassInput, type PassOutcome, runPass } from "@calltrack/domain";
import type { NumberCarrier } from "../inventory/number-carrier.js";
import type { Executor } from "../storage/prepared-statement.js";
import { runTransaction } from "../storage/run-transaction.js";
import { rankSources } from "../traffic/visit-repository.js";
import { passTrackerOf, writePass } from "./pass-repository.js";
import { finishStatement, freezeStatement, type LeasedPool, type PoolKey } from "./pass-schedule-statements.js";
import { lockPoolStatement, type PassPoolRow, type PassTrackerRow, trackersStatement } from "./pass-statements.js";
import type { PoolRules } from "./pool-rules.js";

/** What a pass works with. */
export interface PassTools {
  readonly carrier: NumberCarrier;
  readonly rules: PoolRules;
}

const DAY_MS = 24 * 60 * 60 * 1000;

const MOST_SOURCES = 1_000_000;

/** Nothing is going to change by itself. */
const NEVER = "infinity";

/**
 * Manages a pool that was taken for it, in one transaction.
 *
 * @returns what was done; `"frozen"` if its account is disabled.
 */
export async function passPool(db: Executor, tools: PassTools, pool: LeasedPool): Promise<PassOutcome | "frozen"> {
  return runTransaction(db, async (transaction): Promise<PassOutcome | "frozen"> => {
    const [row] = await lockPoolStatement(transaction, pool);
    if (row?.is_active !== true) return freeze(transaction, pool);
    const trackers = await trackersStatement(transaction, pool);
    const lacking = Math.max(0, row.size - trackers.length);
    const inventory = lacking === 0 ? [] : await tools.carrier.search(transaction, row.area_code, lacking);
    const input = await readPassInput(transaction, tools.rules, { ...pool, ...row }, trackers, inventory);
    const done = runPass(input);
    const { added, deleted } = await writePass(transaction, pool, trackers, done);
    if (added.length > 0)
      await tools.carrier.buy(
        transaction,
        added.map((each) => ({ ...each, accountId: pool.account_id, poolId: pool.pool_id })),
      );
    if (deleted.length > 0) await tools.carrier.release(transaction, deleted, tools.rules.numberRestMs);
    await finish(transaction, { ...pool, ...row }, input, done);
    return done;
  });
}

/** Everything that a pass over a pool depends on, as it is now. */
export async function readPassInput(
  db: Executor,
  rules: PoolRules,
  pool: PoolKey & PassPoolRow,
  trackers: readonly PassTrackerRow[],
  inventory: readonly string[],
): Promise<PassInput> {
  const isManual = pool.pool_type === "manual";
  return {
    pool: { isManual, size: pool.size, utilization: pool.utilization ?? undefined },
    trackers: trackers.map(passTrackerOf),
    sources: isManual
      ? []
      : await rankSources(db, {
          accountId: pool.account_id,
          propertyToken: pool.property_token ?? "",
          windowDays: rules.visitWindowDays,
          // All of them: what falls out of the top is told its rank.
          threshold: 0,
          most: MOST_SOURCES,
        }),
    inventory,
    now: pool.now,
    settings: rules,
  };
}

/** Leaves a pool of a disabled account as it is; enabling the account makes it due. */
async function freeze(db: Executor, pool: LeasedPool): Promise<"frozen"> {
  await freezeStatement(db, pool);
  return "frozen";
}

async function finish(
  db: Executor,
  pool: LeasedPool & PassPoolRow,
  { now, sources }: PassInput,
  { missing, unserved, nextDueAt, trackers }: PassOutcome,
): Promise<void> {
  const times = [
    nextDueAt?.getTime(),
    // The window moves on at midnight, and visits of a day fall out of it.
    sources.length > 0 || trackers.some(({ source }) => source) ? nextMidnight(now) : undefined,
  ].filter((time) => time !== undefined);
  await finishStatement(db, {
    account_id: pool.account_id,
    pool_id: pool.pool_id,
    leased_until: pool.leased_until,
    dueAt: times.length === 0 ? NEVER : new Date(Math.min(...times)),
    wantedAreaCode: missing > 0 ? pool.area_code : null,
    missing,
    unserved: unserved.length,
  });
}

function nextMidnight(now: Date): number {
  return (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
}
