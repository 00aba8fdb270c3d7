import { DomainError, type PassInput, type PassTracker, parseUuid } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { ResolvedAccount } from "../access/account-directory.js";
import type { PoolRules } from "../config/pool-rules.js";
import type { PoolKey } from "./pass-schedule-statements.js";
import {
  listPassTrackersStatement,
  type PassPoolRow,
  type PassTrackerRow,
  type PoolWithLastPassRow,
  readPoolWithLastPassStatement,
} from "./pass-statements.js";
import { readRankedSourcesStatement } from "./source-repository.js";

/**
 * Reads a pool with the outcome of its last pass.
 *
 * @throws DomainError `POOL_NOT_FOUND`
 */
export async function requirePoolWithLastPass(
  db: Executor,
  { accountId }: ResolvedAccount,
  poolId: string,
): Promise<PoolWithLastPassRow> {
  const id = parseUuid(poolId);
  const [row] = id === undefined ? [] : await readPoolWithLastPassStatement(db, { account_id: accountId, pool_id: id });
  if (row === undefined) throw new DomainError("POOL_NOT_FOUND", { poolId });
  return row;
}

const MAX_SOURCES = 1_000_000;

/**
 * Reads the state that passes, plans and explanations share.
 *
 * @returns the input of a pass without the numbers that it may take, and the rows of the pool's call trackers.
 */
export async function readPoolSnapshot(db: Executor, rules: PoolRules, pool: PoolKey & PassPoolRow) {
  const rows = await listPassTrackersStatement(db, pool);
  const isManual = pool.pool_type === "manual";
  const sources = isManual
    ? []
    : await readRankedSourcesStatement(db, {
        accountId: pool.account_id,
        propertyToken: pool.property_token ?? "",
        windowDays: rules.visitWindowDays,
        // A threshold of 0 returns all sources, including those below the cut-off.
        threshold: 0,
        limit: MAX_SOURCES,
      });
  const { size, utilization, is_active: isActive, now } = pool;
  const state: Omit<PassInput, "inventory"> = {
    pool: { isManual, isFrozen: !isActive, size, utilization: utilization ?? undefined },
    trackers: rows.map(passTrackerOf),
    sources,
    now,
    settings: rules,
  };
  return { state, rows };
}

function passTrackerOf(row: PassTrackerRow): PassTracker {
  return {
    trackingNumber: row.tracking_number,
    status: row.status,
    source: row.source === null ? undefined : { source: row.source, medium: row.medium ?? "" },
    droppedAt: row.dropped_at ?? undefined,
    availableSince: row.available_since,
    retirement: row.retirement ?? undefined,
  };
}
