import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import { ConnectionPool, type ConnectionPoolStats } from "./connection-pool.js";
import type { ConnectionSettings } from "./connection-settings.js";
import { parseConnectionUrl } from "./connection-url.js";
import type { Executor } from "./executor.js";
import { OutageClock } from "./outage-clock.js";
import { PostgresExecutor, type StatementObserver } from "./postgres-executor.js";
import type { Session } from "./session.js";
import { findStatementContext } from "./statement-context.js";
import { createStatementLog } from "./statement-log.js";

/** The default values of `maxReads` and `maxWrites`. */
export const DEFAULT_CONNECTION_LIMITS = {
  /** Few connections suffice, because reads wait only for the CPU. */
  maxReads: 6,
  /** More connections than for reads, because writes and transactions wait for locks and the disk. Concurrent commits share a disk sync. */
  maxWrites: 16,
} as const;

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with libpq parameters; see `parseConnectionUrl`. */
  readonly url: string;
  /** How long to wait for a connection to open or become free. Default: the URL's `connect_timeout` if it has one, otherwise 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** The maximum duration of a statement; 0 for no limit. Default: 30 s. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Whether to prepare statements and to send session settings. Must be false behind PgBouncer in transaction mode. Default: false if the URL
   * has `pgbouncer=true`, otherwise true.
   */
  readonly prepare?: boolean | undefined;
  /** PostgreSQL settings for every session, such as `{ jit: "off" }`. */
  readonly sessionSettings?: Readonly<Record<string, string>> | undefined;
  /** The maximum number of connections for statements outside transactions that neither change nor lock rows. Default: 6. */
  readonly maxReads?: number;
  /** The maximum number of connections for transactions and for statements that change or lock rows. Default: 16. */
  readonly maxWrites?: number;
  /** Whether concurrent runs of a lookup share a statement. Default: true. */
  readonly coalesces?: boolean;
  readonly observer?: PostgresObserver | undefined;
}

export interface PostgresObserver {
  /** Called when an idle connection fails. The pool opens a replacement when a statement needs a connection. */
  onIdleError?(error: Error): void;
  /** Called after each statement with its duration in milliseconds. Outside transactions, the duration includes the wait for a connection. */
  readonly onStatement?: StatementObserver;
}

export interface PostgresDatabase<DB> {
  readonly db: Executor;
  /** Runs any SQL on the connections for writes. */
  readonly kysely: Kysely<DB>;
  readonly connectionPools: readonly ConnectionPoolStats[];
  /** Waits until all statements and transactions in progress have finished, then closes all connections. */
  close(): Promise<void>;
}

/**
 * Opens a PostgreSQL database. The first connection opens when the first statement runs. The first canceled statement opens an additional connection
 * for cancel requests, which does not count toward `maxReads` or `maxWrites`.
 *
 * @throws ConnectionUrlError
 */
export function openPostgres<DB>(options: PostgresOptions): PostgresDatabase<DB> {
  const { maxReads, maxWrites, coalesces = true, observer = {} } = { ...DEFAULT_CONNECTION_LIMITS, ...options };
  const settings = connectionSettings(options);
  const outageClock = new OutageClock();
  const events = {
    onIdleError: (error: Error) => observer.onIdleError?.(error),
    onOutdated: (openedAt: number) => pools.forEach((pool) => void pool.renew(openedAt)),
    cancel: (processId: number): Promise<void> => control.cancel(processId),
  };
  const createPool = (max: number): ConnectionPool => new ConnectionPool(settings, max, events, outageClock);
  const [reads, writes, control] = [createPool(maxReads), createPool(maxWrites), createPool(1)];
  const pools = [reads, writes, control];
  const kyselyPool = new KyselyPool(writes);
  const db = new PostgresExecutor({ reads, writes }, coalesces, observer.onStatement);
  const kysely = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: kyselyPool }),
    log: createStatementLog((ms) => observer.onStatement?.("writes", ms)),
  });
  return {
    db,
    kysely,
    connectionPools: [
      { use: "reads", max: maxReads, load: () => reads.load() },
      { use: "writes", max: maxWrites, load: () => writes.load() },
    ],
    async close() {
      await db.close();
      await kyselyPool.drain();
      await kysely.destroy();
      for (const pool of pools) await pool.close();
    },
  };
}

/** Settings that fix the text format of values, whatever a role or database sets. PgBouncer restores them for each transaction. */
const VALUE_SETTINGS = {
  client_encoding: "UTF8",
  DateStyle: "ISO",
  IntervalStyle: "postgres",
  standard_conforming_strings: "on",
  TimeZone: "UTC",
};

function connectionSettings(options: PostgresOptions): ConnectionSettings {
  const { client, connectTimeoutMs, isPgBouncer } = parseConnectionUrl(options.url);
  const { prepare = !isPgBouncer, statementTimeoutMs = 30_000 } = options;
  return {
    client,
    prepare,
    session: {
      ...VALUE_SETTINGS,
      // Behind PgBouncer, session settings other than `VALUE_SETTINGS` would also affect other clients' sessions.
      ...(prepare && {
        default_transaction_isolation: "read committed",
        ...options.sessionSettings,
        statement_timeout: String(statementTimeoutMs),
      }),
    },
    connectTimeoutMs: options.connectTimeoutMs ?? connectTimeoutMs ?? 10_000,
    statementTimeoutMs,
  };
}

/** Adapts a ConnectionPool to the pool interface of Kysely's PostgreSQL dialect. */
class KyselyPool implements PostgresPool {
  readonly options = {};
  readonly #pool: ConnectionPool;
  readonly #waiting = new Set<Promise<Session>>();

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  async connect(): Promise<PostgresPoolClient> {
    const acquiring = this.#pool.acquire();
    this.#waiting.add(acquiring);
    const session = await acquiring.finally(() => this.#waiting.delete(acquiring));
    return {
      ...(session.processID !== undefined && { processID: session.processID }),
      // biome-ignore lint/suspicious/noExplicitAny: the overloads of Kysely's query() have no common type
      query: (text: any, values?: readonly unknown[]): any =>
        text === "rollback" ? session.rollback() : session.query(text, values, findStatementContext()?.deadline),
      release: () => session.release(),
    };
  }

  /** Resolves when no statement waits for a connection. Kysely would reject waiting statements when it is closed. */
  async drain(): Promise<void> {
    while (this.#waiting.size > 0) await Promise.allSettled(this.#waiting);
  }

  /** Does nothing, because `close` of the database closes the pool after all statements. */
  async end(): Promise<void> {}
}
