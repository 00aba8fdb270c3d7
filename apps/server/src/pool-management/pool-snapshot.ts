import type { PassInput } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import type { PoolRules } from "../config/pool-rules.js";
import { passTrackerOf } from "./pass-repository.js";
import type { PoolKey } from "./pass-schedule-statements.js";
import { listPassTrackersStatement, type PassPoolRow, type PassTrackerRow } from "./pass-statements.js";
import { rankSources } from "./source-repository.js";

const MAX_SOURCES = 1_000_000;

/** The input of a pass over a pool, except the numbers that it may take. */
export interface PoolSnapshot {
  readonly state: Omit<PassInput, "inventory">;
  /** The rows of the call trackers in `state`. */
  readonly rows: readonly PassTrackerRow[];
}

/** Reads the state that passes, plans and explanations share. */
export async function readPoolSnapshot(
  db: Executor,
  rules: PoolRules,
  pool: PoolKey & PassPoolRow,
): Promise<PoolSnapshot> {
  const rows = await listPassTrackersStatement(db, pool);
  const isManual = pool.pool_type === "manual";
  const sources = isManual
    ? []
    : await rankSources(db, {
        accountId: pool.account_id,
        propertyToken: pool.property_token ?? "",
        windowDays: rules.visitWindowDays,
        // 0 returns all sources, so that those below the cut-off are ranked too.
        threshold: 0,
        limit: MAX_SOURCES,
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
