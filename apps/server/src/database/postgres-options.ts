import type { PipelineShape, PostgresOptions } from "@calltrack/postgres";
import type { PostgresSettings } from "../config/database-location.js";

/** Reads wait for nothing but the processor, and many on a connection save round trips. */
const READS: PipelineShape = { connections: 3, depth: 64, coalesces: true };

/** A coordinator waits for the server that has the rows, one statement of a connection after the other. */
const DISTRIBUTED_READS: PipelineShape = { connections: 16, depth: 4, coalesces: false };

/** Writes wait for locks and for the disk: each has a connection to itself, and those that commit together share a sync of the disk. */
const WRITES: PipelineShape = { connections: 16, depth: 1, coalesces: false };

const MAX_TRANSACTIONS = 4;

/** The least connections of each of several processes: with fewer, statements that wait for locks would delay those that need none. */
const MIN_SHARE = { reads: 2, writes: 4, transactions: 3 };

/**
 * Time that a transaction may be idle. Ours never are for more than a moment, unless their server is gone without a word: without
 * this, their locks would stay for hours, until the system finds that out.
 */
const MAX_IDLE_MS = 60_000;

/**
 * Makes the server plan every statement by index, whatever the size of the tables. By itself it plans some statements anew with
 * every run, as a plan for a limit of unknown size looks more costly than it is; and while tables are small, it reads them whole.
 */
export const PLAN_SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // Before PostgreSQL 18, reading the one row of the clock looks so costly without a scan that each run would be compiled.
  jit: "off",
};

/** Time to wait for a connection to PostgreSQL, and time that a statement may run, unless configured. */
const DEFAULT_TIMEOUTS = { connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 };

/** Shares the connections between the processes of a server, and sets what its statements need. */
export function postgresOptions({
  processes = 1,
  isDistributed = false,
  ...settings
}: PostgresSettings): PostgresOptions {
  const share = (connections: number, min: number) => Math.max(min, Math.ceil(connections / processes));
  const reads = isDistributed ? DISTRIBUTED_READS : READS;
  return {
    ...DEFAULT_TIMEOUTS,
    ...settings,
    sessionSettings: {
      ...(isDistributed ? {} : PLAN_SETTINGS),
      idle_in_transaction_session_timeout: String(MAX_IDLE_MS),
    },
    reads: { ...reads, connections: share(reads.connections, MIN_SHARE.reads) },
    writes: { ...WRITES, connections: share(WRITES.connections, MIN_SHARE.writes) },
    maxTransactions: share(MAX_TRANSACTIONS, MIN_SHARE.transactions),
  };
}
