import { DomainError, type PassInput, parseUuid } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { NamedAccount } from "../access/account-directory.js";
import type { PoolRules } from "../config/pool-rules.js";
import { passTrackerOf } from "./pass-repository.js";
import type { PoolKey } from "./pass-schedule-statements.js";
import {
  type PassedPoolRow,
  type PassPoolRow,
  type PassTrackerRow,
  readPoolStatement,
  trackersStatement,
} from "./pass-statements.js";
import { rankSources } from "./source-repository.js";

/**
 * A pool with what a pass depends on, and how its last one went.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function requirePassedPool(
  db: Executor,
  { accountId }: NamedAccount,
  poolId: string,
): Promise<PassedPoolRow> {
  const id = parseUuid(poolId);
  const [row] = id === undefined ? [] : await readPoolStatement(db, { account_id: accountId, pool_id: id });
  if (row === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return row;
}

const MOST_SOURCES = 1_000_000;

/** What a pass over a pool depends on, as it is now, beside the numbers that it may take. */
interface ReadPool {
  readonly state: Omit<PassInput, "inventory">;
  /** The rows of the call trackers of the state. */
  readonly rows: readonly PassTrackerRow[];
}

/** Reads what passes, plans and explanations go by alike. */
export async function readPool(db: Executor, rules: PoolRules, pool: PoolKey & PassPoolRow): Promise<ReadPool> {
  const rows = await trackersStatement(db, pool);
  const isManual = pool.pool_type === "manual";
  const sources = isManual
    ? []
    : await rankSources(db, {
        accountId: pool.account_id,
        propertyToken: pool.property_token ?? "",
        windowDays: rules.visitWindowDays,
        // All of them: what falls out of the top is told its rank.
        threshold: 0,
        most: MOST_SOURCES,
      });
  const { size, utilization, is_active: isActive, now } = pool;
  return {
    state: {
      pool: { isManual, isFrozen: !isActive, size, utilization: utilization ?? undefined },
      trackers: rows.map(passTrackerOf),
      sources,
      now,
      settings: rules,
    },
    rows,
  };
}
