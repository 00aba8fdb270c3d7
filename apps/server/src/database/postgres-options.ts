import { DEFAULT_CONNECTIONS, type PipelineShape, type PostgresOptions } from "@calltrack/postgres";
import type { PostgresSettings } from "../config/database-location.js";

/** A coordinator waits for the server that has the rows, one statement of a connection after the other. */
const DISTRIBUTED_READS: PipelineShape = { connections: 16, depth: 4, coalesces: false };

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

/** Shares the connections between the processes of a server, and sets what its statements need. */
export function postgresOptions({
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
