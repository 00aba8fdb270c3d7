import type { Schema } from "../database/tables/schema.js";
import { type ConnectionPool, type ConnectionUse, observeQueries } from "./connection-pool.js";
import type { DatabaseObservers, OpenedDatabase } from "./database.js";
import { DEFAULT_TIMEOUTS } from "./default-timeouts.js";
import { Outage } from "./outage.js";
import { createOwnConnections } from "./own-connections.js";
import { type OpenConnection, Pipeline, type PipelineSize } from "./pipeline.js";
import { type ConnectionSettings, PipelineConnection, PLAN_OPTIONS } from "./pipeline-connection.js";
import { PipelinedKysely } from "./pipelined-kysely.js";
import { ReplicaReads } from "./replica/replica-reads.js";

type Shape = Pick<PipelineSize, "connections" | "depth" | "folds">;

/** Reads wait for nothing but the processor, and many on a connection save round trips. */
const READS: Shape = { connections: 3, depth: 64, folds: true };

/** A coordinator waits for the server that has the rows, one statement of a connection after the other. */
const DISTRIBUTED_READS: Shape = { connections: 16, depth: 4, folds: false };

/**
 * Writes wait for locks and for the disk. One that waits must not hold up others behind it, and those that commit on
 * different connections at one time share one sync of the disk.
 */
const WRITES: Shape = { connections: 16, depth: 1, folds: false };

const MOST_OWN_CONNECTIONS = 4;

/** What each of several processes has at least: with fewer, what waits for a lock would hold up what needs none. */
const LEAST = { reads: 2, writes: 4, own: 3 };

/**
 * How long a transaction may have nothing to do. It never has for more than a moment, unless its server is gone without a word: what
 * it has locked would be until the system finds that out, which takes hours.
 */
const MOST_IDLE_MS = 60_000;

/** How a server uses PostgreSQL. */
export interface PostgresSettings {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** Whether the server may keep prepared statements, which PgBouncer may not allow; by default, it does. */
  readonly prepare?: boolean;
  /** How many processes share what one server opens of connections; by default, this is the only one. */
  readonly processes?: number;
  /** A streaming standby of it, for reads; by default, there is none. */
  readonly replicaUrl?: string | undefined;
  /** Whether it is spread over several servers: see `findDistribution`. By default, it is not. */
  readonly isDistributed?: boolean;
  /** How long a connection is waited for: for a new one to open, or one of those there are to be free. */
  readonly connectTimeoutMs?: number;
  /** How long a statement may run; 0 for as long as it takes. */
  readonly statementTimeoutMs?: number;
}

/**
 * Opens the database of a PostgreSQL server; connects at the first statement.
 *
 * @param onIdleError is told of a connection that failed while nobody used it; it is replaced.
 */
export function openPostgres(
  settings: PostgresSettings,
  onIdleError: (error: Error) => void,
  observers: DatabaseObservers,
): OpenedDatabase {
  const { processes = 1, replicaUrl, isDistributed = false } = settings;
  const connection = connectionSettings(settings);
  const limits = { waitTimeoutMs: connection.connectTimeoutMs, statementTimeoutMs: connection.statementTimeoutMs };
  const share = (connections: number, least: number) => Math.max(least, Math.ceil(connections / processes));
  const mostReads = isDistributed ? DISTRIBUTED_READS : READS;
  const readSize = { ...mostReads, ...limits, connections: share(mostReads.connections, LEAST.reads) };
  const writeSize = { ...WRITES, ...limits, connections: share(WRITES.connections, LEAST.writes) };
  const outage = new Outage();
  const onReadOnly = () => {
    for (const each of [reads, writes, own]) each.renew();
  };
  const { answered, ran } = observers.statements;
  const observer = (use: ConnectionUse) => ({
    onIdleError,
    onReadOnly,
    onStatement: (ms: number) => answered(use, ms),
  });
  const reads = new Pipeline(readSize, openTo(connection), observer("reads"), outage);
  const writes = new Pipeline(writeSize, openTo(connection), observer("writes"), outage);
  const mostOwn = share(MOST_OWN_CONNECTIONS, LEAST.own);
  const own = createOwnConnections(connection, mostOwn, { onIdleError, onReadOnly }, outage);
  const config = { dialect: own.dialect, log: observeQueries("transactions", observers.statements) };
  const db = new PipelinedKysely<Schema>(config, { reads, writes }, ran);
  const pools: readonly ConnectionPool[] = [
    { use: "reads", most: readSize.connections, load: () => reads.load() },
    { use: "writes", most: writeSize.connections, load: () => writes.load() },
    { use: "transactions", most: mostOwn, load: own.load },
  ];
  if (replicaUrl === undefined) return { db, reads: db, pools, close: () => db.destroy() };
  const openReplica = openTo({ ...connection, url: replicaUrl, needsPrimary: false });
  const replica = new ReplicaReads(reads, readSize, openReplica, onIdleError, observers.replica);
  return {
    db,
    pools,
    reads: new PipelinedKysely<Schema>(config, { reads: replica, writes }, ran),
    async close() {
      // What runs on the standby may have to run on the primary yet.
      await replica.close();
      await db.destroy();
    },
  };
}

function connectionSettings({ url, prepare = true, isDistributed = false, ...settings }: PostgresSettings) {
  const { connectTimeoutMs, statementTimeoutMs } = { ...DEFAULT_TIMEOUTS, ...settings };
  const plans = isDistributed ? "" : PLAN_OPTIONS;
  // PgBouncer passes none on.
  const limits = `-c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=${MOST_IDLE_MS}`;
  const options = prepare ? `${plans} ${limits}` : undefined;
  return { url, prepare, options, connectTimeoutMs, statementTimeoutMs, needsPrimary: true };
}

function openTo(settings: ConnectionSettings): OpenConnection {
  return (listener) => PipelineConnection.open(settings, listener);
}
