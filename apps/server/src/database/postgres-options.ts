import { DEFAULT_CONNECTIONS, type PostgresOptions } from "@calltrack/postgres";
import type { PostgresSettings } from "../config/database-location.js";

/** On a Citus cluster, the coordinator waits for the workers, so reads need more connections. */
const DISTRIBUTED_CONNECTIONS = { maxReads: 10, maxWrites: 12 };

/** Minimum number of connections per process. With fewer, statements that wait for locks would delay others. */
const MIN_SHARE = { maxReads: 2, maxWrites: 4 };

/**
 * Timeout of idle transactions. A transaction is idle for this long only if its server has crashed or lost its connection. Without the
 * timeout, its locks would remain until TCP detects that, hours later.
 */
const MAX_IDLE_MS = 60_000;

/**
 * Makes PostgreSQL plan every statement once and with indexes, whatever the size of the tables. By default, it replans some statements on
 * every run, because it overestimates the cost of a LIMIT whose value is a parameter, and it scans small tables.
 */
export const PLAN_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Before PostgreSQL 18, a statement that reads the table `clock` without a sequential scan has such a high estimated cost that each run is
  // JIT-compiled.
  jit: "off",
};

/** Creates the options for `openPostgres`: divides the connections among the processes and adds the session settings. */
export function createPostgresOptions({
  processes = 1,
  isDistributed = false,
  ...settings
}: PostgresSettings): PostgresOptions {
  const share = (connections: number, min: number) => Math.max(min, Math.ceil(connections / processes));
  const { maxReads, maxWrites } = isDistributed ? DISTRIBUTED_CONNECTIONS : DEFAULT_CONNECTIONS;
  return {
    ...settings,
    sessionSettings: {
      ...(isDistributed ? {} : PLAN_SETTINGS),
      idle_in_transaction_session_timeout: String(MAX_IDLE_MS),
    },
    maxReads: share(maxReads, MIN_SHARE.maxReads),
    maxWrites: share(maxWrites, MIN_SHARE.maxWrites),
    coalesces: !isDistributed,
  };
}
