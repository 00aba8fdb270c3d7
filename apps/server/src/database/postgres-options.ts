import { DEFAULT_CONNECTION_LIMITS, type PostgresOptions } from "@calltrack/postgres";
import type { PostgresSettings } from "../config/database-location.js";

/** The maximum numbers of connections to a Citus cluster. Its coordinator waits for the workers, so reads need more connections. */
const DISTRIBUTED_CONNECTION_LIMITS = { maxReads: 10, maxWrites: 12 };

/** The minimum numbers of connections per process. With fewer, statements that wait for locks would delay other statements. */
const MIN_SHARE = { maxReads: 2, maxWrites: 4 };

/**
 * The timeout for idle transactions. A transaction is idle for this long only if its server has crashed or lost its connection. Without the
 * timeout, the locks of the transaction would remain until TCP detects the lost connection, hours later.
 */
const MAX_IDLE_MS = 60_000;

/**
 * Makes PostgreSQL plan every statement only once and with indexes, whatever the size of the tables. By default, PostgreSQL scans small tables,
 * and replans some statements on every execution, because it overestimates the cost of a LIMIT whose value is a parameter.
 */
export const PLANNER_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Before PostgreSQL 18, reading the table `clock` without a sequential scan has such a high estimated cost that PostgreSQL would JIT-compile
  // each execution.
  jit: "off",
};

/** Creates the options for `openPostgres`. Divides the maximum number of connections among the server processes. */
export function createPostgresOptions({
  processes = 1,
  isDistributed = false,
  ...settings
}: PostgresSettings): PostgresOptions {
  const share = (connections: number, min: number) => Math.max(min, Math.ceil(connections / processes));
  const { maxReads, maxWrites } = isDistributed ? DISTRIBUTED_CONNECTION_LIMITS : DEFAULT_CONNECTION_LIMITS;
  return {
    ...settings,
    sessionSettings: {
      ...(isDistributed ? {} : PLANNER_SETTINGS),
      idle_in_transaction_session_timeout: String(MAX_IDLE_MS),
    },
    maxReads: share(maxReads, MIN_SHARE.maxReads),
    maxWrites: share(maxWrites, MIN_SHARE.maxWrites),
    coalesces: !isDistributed,
  };
}
