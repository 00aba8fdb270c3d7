import { Kysely } from "kysely";
import type { ConnectionSettings } from "./connection-settings.js";
import type { Executor } from "./executor.js";
import { KyselyExecutor } from "./kysely-executor.js";
import { Pipeline, type PipelineShape } from "./pipeline.js";
import { createPipelinedExecutor } from "./pipelined-executor.js";
import type { ConnectionUse, PoolStats } from "./pool-stats.js";
import { Reachability } from "./reachability.js";
import { type ReplicaObserver, ReplicaReader } from "./replica/replica-reader.js";
import { createStatementLog } from "./statement-log.js";
import { createTransactionPool } from "./transaction-pool.js";

/** The default connections of a database. */
export const DEFAULT_CONNECTIONS = {
  /** Reads wait only for the CPU, and pipelining many of them saves round trips. */
  reads: { connections: 3, depth: 64, coalesces: true },
  /** Writes wait for locks and the disk and must not delay others. Commits on several connections share a disk sync. */
  writes: { connections: 16, depth: 1, coalesces: false },
  maxTransactions: 4,
} as const;

/** Options of `openPostgres`. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** The URL of a streaming standby for reads. Default: none. */
  readonly replicaUrl?: string | undefined;
  /** Time to wait for a connection to open or become free. Default: 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** The maximum duration of a statement; 0 for no limit. Default: 30 s. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Whether to prepare statements and send session settings. Set it to false behind PgBouncer in transaction mode. Default: true.
   */
  readonly prepare?: boolean | undefined;
  /** Settings of every session, such as `{ jit: "off" }`. Values must not contain spaces. */
  readonly sessionSettings?: Readonly<Record<string, string>> | undefined;
  /** Connections for statements outside transactions that neither change nor lock rows. */
  readonly reads?: PipelineShape;
  /** Connections for writes outside transactions. With a depth of 1, no write waits for the locks of another. */
  readonly writes?: PipelineShape;
  /** The maximum number of connections for transactions. Default: 4. */
  readonly maxTransactions?: number;
  readonly observer?: PostgresObserver | undefined;
}

/** Observer of a database. */
export interface PostgresObserver {
  /** Called when an idle connection fails. It is replaced on demand. */
  onIdleError?(error: Error): void;
  /** Called after each statement with the time since it was requested, or, in a transaction, since it was sent. */
  onStatement?(use: ConnectionUse, ms: number): void;
  readonly replica?: ReplicaObserver | undefined;
}

/** An open database on a PostgreSQL server. */
export interface PostgresDatabase<DB> {
  readonly db: Executor;
  /** Runs reads on the standby if one is configured. They see everything committed before they began. */
  readonly reads: Executor;
  /** Runs any SQL on the connections for transactions. */
  readonly kysely: Kysely<DB>;
  readonly pools: readonly PoolStats[];
  /** Waits for statements and transactions in progress, then closes all connections. */
  close(): Promise<void>;
}

/** Opens a PostgreSQL database. Connects when the first statement runs. */
export function openPostgres<DB>(options: PostgresOptions): PostgresDatabase<DB> {
  const { reads: readShape, writes: writeShape, maxTransactions } = { ...DEFAULT_CONNECTIONS, ...options };
  const { observer = {}, replicaUrl } = options;
  const settings = connectionSettings(options);
  const reachability = new Reachability();
  const onIdleError = (error: Error) => observer.onIdleError?.(error);
  const onReadOnly = () => {
    for (const each of [reads, writes, pool]) each.renew();
  };
  const observe = (use: ConnectionUse) => ({
    onIdleError,
    onReadOnly,
    onStatement: (ms: number) => observer.onStatement?.(use, ms),
  });
  const reads = new Pipeline(readShape, settings, observe("reads"), reachability);
  const writes = new Pipeline(writeShape, settings, observe("writes"), reachability);
  const transactions = observe("transactions");
  const pool = createTransactionPool(settings, maxTransactions, transactions, reachability);
  const kysely = new Kysely<DB>({ dialect: pool.dialect, log: createStatementLog(transactions.onStatement) });
  const session = new KyselyExecutor(kysely);
  const primary = createPipelinedExecutor(reads, writes, session);
  const ofReplica = replicaUrl === undefined ? undefined : { ...settings, url: replicaUrl, needsPrimary: false };
  const replica = ofReplica && new ReplicaReader(reads, readShape, ofReplica, onIdleError, observer.replica);
  return {
    db: primary,
    reads: replica === undefined ? primary : createPipelinedExecutor(replica, writes, session),
    kysely,
    pools: [
      { use: "reads", max: readShape.connections, load: () => reads.load() },
      { use: "writes", max: writeShape.connections, load: () => writes.load() },
      { use: "transactions", max: maxTransactions, load: pool.load },
    ],
    async close() {
      // The primary closes last, because reads on the standby may fall back to it.
      await replica?.close();
      await Promise.all([reads.close(), writes.close()]);
      await pool.drain();
      await kysely.destroy();
    },
  };
}

function connectionSettings({
  url,
  prepare = true,
  sessionSettings = {},
  connectTimeoutMs = 10_000,
  statementTimeoutMs = 30_000,
}: PostgresOptions): ConnectionSettings {
  const settings = { ...sessionSettings, statement_timeout: String(statementTimeoutMs) };
  // PgBouncer does not forward session settings.
  const options = prepare
    ? Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(" ")
    : undefined;
  return { url, prepare, options, connectTimeoutMs, statementTimeoutMs, needsPrimary: true };
}
