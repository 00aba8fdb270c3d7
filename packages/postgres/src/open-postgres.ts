import { Kysely } from "kysely";
import type { ConnectionSettings } from "./connection-settings.js";
import type { Executor } from "./executor.js";
import { KyselyExecutor } from "./kysely-executor.js";
import { type OpenConnection, Pipeline, type PipelineShape } from "./pipeline.js";
import { PipelineConnection } from "./pipeline-connection.js";
import { PipelinedExecutor } from "./pipelined-executor.js";
import type { ConnectionUse, PoolStats } from "./pool-stats.js";
import { Reachability } from "./reachability.js";
import { type ReplicaObserver, ReplicaReads } from "./replica/replica-reads.js";
import { createStatementLog } from "./statement-log.js";
import { createTransactionPool } from "./transaction-pool.js";

/** The connections of a database unless others are asked for. */
export const DEFAULT_CONNECTIONS = {
  /** Reads wait for nothing but the processor, and many on a connection save round trips. */
  reads: { connections: 3, depth: 64, coalesces: true },
  /** A write waits for locks and for the disk, and must not delay others; commits on several connections share a sync of the disk. */
  writes: { connections: 16, depth: 1, coalesces: false },
  maxTransactions: 4,
} as const;

/** How to use a PostgreSQL server. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** A streaming standby, for reads; by default, there is none. */
  readonly replicaUrl?: string | undefined;
  /** Time to wait for a connection: for a new one to open, or an open one to become free. Default: 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Time that a statement may run; 0 for no limit. Default: 30 s. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Whether the server keeps prepared statements and takes session settings. Set it to false behind PgBouncer in transaction mode.
   * Default: true.
   */
  readonly prepare?: boolean | undefined;
  /** Settings of every session, such as `{ jit: "off" }`. Values have no spaces. */
  readonly sessionSettings?: Readonly<Record<string, string>> | undefined;
  /** Connections for statements that stand alone and neither change nor lock rows. */
  readonly reads?: PipelineShape;
  /** Connections for statements that stand alone and write; keep their depth at 1, so that no write waits for another's lock. */
  readonly writes?: PipelineShape;
  /** The limit of connections for transactions. Default: 4. */
  readonly maxTransactions?: number;
  readonly observer?: PostgresObserver | undefined;
}

/** Observes a database. */
export interface PostgresObserver {
  /** An idle connection failed; it is replaced when one is needed. */
  onIdleError?(error: Error): void;
  /** A statement succeeded or failed, this long after it was requested; in a transaction, after it was sent. */
  onStatement?(use: ConnectionUse, ms: number): void;
  /** Observes the standby. */
  readonly replica?: ReplicaObserver | undefined;
}

/** An open database on a PostgreSQL server. */
export interface PostgresDatabase<DB> {
  readonly db: Executor;
  /** Runs reads on the standby, if there is one; they see all that was committed before they began. */
  readonly reads: Executor;
  /** Runs any SQL, on the connections for transactions. */
  readonly kysely: Kysely<DB>;
  readonly pools: readonly PoolStats[];
  /** Waits for the statements and transactions in progress, and closes all connections. */
  close(): Promise<void>;
}

/** Opens the database of a PostgreSQL server; connects at the first statement. */
export function openPostgres<DB>(options: PostgresOptions): PostgresDatabase<DB> {
  const { reads: readShape, writes: writeShape, maxTransactions } = { ...DEFAULT_CONNECTIONS, ...options };
  const { observer = {}, replicaUrl } = options;
  const connection = connectionSettings(options);
  const limits = { waitTimeoutMs: connection.connectTimeoutMs, statementTimeoutMs: connection.statementTimeoutMs };
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
  const openPipeline = (use: ConnectionUse, shape: PipelineShape) =>
    new Pipeline({ ...shape, ...limits }, openTo(connection), observe(use), reachability);
  const reads = openPipeline("reads", readShape);
  const writes = openPipeline("writes", writeShape);
  const transactions = observe("transactions");
  const pool = createTransactionPool(connection, maxTransactions, transactions, reachability);
  const kysely = new Kysely<DB>({ dialect: pool.dialect, log: createStatementLog(transactions.onStatement) });
  const session = new KyselyExecutor(kysely);
  const primary = new PipelinedExecutor(reads, writes, session);
  const replica =
    replicaUrl === undefined
      ? undefined
      : new ReplicaReads(
          reads,
          { ...readShape, ...limits },
          openTo({ ...connection, url: replicaUrl, needsPrimary: false }),
          onIdleError,
          observer.replica,
        );
  return {
    db: primary,
    reads: replica === undefined ? primary : new PipelinedExecutor(replica, writes, session),
    kysely,
    pools: [
      { use: "reads", max: readShape.connections, load: () => reads.load() },
      { use: "writes", max: writeShape.connections, load: () => writes.load() },
      { use: "transactions", max: maxTransactions, load: pool.load },
    ],
    async close() {
      // Reads on the standby may yet have to run on the primary.
      await replica?.close();
      await Promise.all([reads.close(), writes.close()]);
      await kysely.destroy();
    },
  };
}

function connectionSettings({ url, prepare = true, sessionSettings = {}, ...timeouts }: PostgresOptions) {
  const { connectTimeoutMs = 10_000, statementTimeoutMs = 30_000 } = timeouts;
  const settings = { ...sessionSettings, statement_timeout: String(statementTimeoutMs) };
  // PgBouncer does not pass them on.
  const options = prepare
    ? Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(" ")
    : undefined;
  return { url, prepare, options, connectTimeoutMs, statementTimeoutMs, needsPrimary: true };
}

function openTo(settings: ConnectionSettings): OpenConnection {
  return (listener) => PipelineConnection.open(settings, listener);
}
