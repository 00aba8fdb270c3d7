import { DEFAULT_CONNECTIONS, type PipelineShape, type PostgresOptions } from "@calltrack/postgres";
import type { PostgresSettings } from "../config/database-location.js";

/**
 * The coordinator of a Citus cluster runs the statements of a connection one at a time and waits for the workers, so
 * reads use more connections.
 */
const DISTRIBUTED_READS: PipelineShape = { connections: 16, depth: 4, coalesces: false };

/** Minimum number of connections per process. With fewer, statements that wait for locks would delay others. */
const MIN_SHARE = { reads: 2, writes: 4, transactions: 3 };

/**
 * Timeout of idle transactions. Ours are never idle for long unless their server has crashed or is cut off. Without the
 * timeout, their locks would remain until TCP detects that, hours later.
 */
const MAX_IDLE_MS = 60_000;

/**
 * Makes PostgreSQL plan every statement with indexes, whatever the size of the tables. By default it replans some
 * statements on every run, because it overestimates the cost of a limit of unknown value. It also scans small tables.
 */
export const PLAN_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Before PostgreSQL 18, reading the clock's only row without a sequential scan has such a high estimated cost that
  // each run is JIT-compiled.
  jit: "off",
};

/**
 * Creates the options for `openPostgres`: divides the connections among the processes and adds the session settings.
 */
export function createPostgresOptions({
  processes = 1,
  isDistributed = false,
  ...settings
}: PostgresSettings): PostgresOptions {
  const share = (connections: number, min: number) => Math.max(min, Math.ceil(connections / processes));
  const { reads: ownReads, writes, maxTransactions } = DEFAULT_CONNECTIONS;
  const reads = isDistributed ? DISTRIBUTED_READS : ownReads;
  return {
    ...settings,
    sessionSettings: {
      ...(isDistributed ? {} : PLAN_SETTINGS),
      idle_in_transaction_session_timeout: String(MAX_IDLE_MS),
    },
    reads: { ...reads, connections: share(reads.connections, MIN_SHARE.reads) },
    writes: { ...writes, connections: share(writes.connections, MIN_SHARE.writes) },
    maxTransactions: share(maxTransactions, MIN_SHARE.transactions),
  };
}
