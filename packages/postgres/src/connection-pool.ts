import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { ConnectionSettings } from "./connection-settings.js";
import { DatabaseUnavailableError, isDatabaseUnavailable } from "./postgres-error.js";
import type { Reachability } from "./reachability.js";
import { reconnectPauseMs } from "./retry-pause.js";
import { Session, type SessionEvents } from "./session.js";

/** The use of connections: for reads outside transactions, or for writes and transactions. */
export type ConnectionUse = "reads" | "writes";

/** Statistics of the connections for one use. */
export interface PoolStats {
  readonly use: ConnectionUse;
  /** The maximum number of open connections. */
  readonly max: number;
  readonly load: () => ConnectionLoad;
}

/** The load of connections at one moment. */
export interface ConnectionLoad {
  readonly open: number;
  /** Open connections with a statement or a transaction in progress. */
  readonly busy: number;
  /** Statements or transactions that wait for a connection. */
  readonly waiting: number;
}

/** Callbacks of a pool. */
export interface PoolEvents extends SessionEvents {
  /** Called when an idle connection fails. It is replaced on demand. */
  onIdleError(error: Error): void;
}

/** An open connection. */
interface OpenedClient {
  /** In milliseconds of `performance.now()`. */
  readonly openedAt: number;
  /** The process of the server. */
  readonly processId: number;
}

const INSPECT = "select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as is_read_only";

/** A pool of connections to a primary. Waits for the end of a short outage. */
export class ConnectionPool {
  readonly #settings: ConnectionSettings;
  readonly #events: PoolEvents;
  readonly #reachability: Reachability;
  readonly #pool: pg.Pool;
  readonly #opened = new WeakMap<pg.ClientBase, OpenedClient>();
  /** Whether a connection is open, or was when the last one was acquired. */
  #isReachable = false;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param max the maximum number of connections.
   * @param reachability is shared by all pools of the server.
   */
  constructor(settings: ConnectionSettings, max: number, events: PoolEvents, reachability: Reachability) {
    this.#settings = settings;
    this.#events = events;
    this.#reachability = reachability;
    const { url, options, connectTimeoutMs } = settings;
    this.#pool = new pg.Pool({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      ...(options !== undefined && { options }),
      max,
      keepAlive: true,
      idleTimeoutMillis: 0,
      onConnect: (client) => this.#inspect(client as pg.Client),
    });
    this.#pool.on("error", events.onIdleError);
    // Lost connections too: they were open until now.
    this.#pool.on("remove", () => reachability.noteReached());
    // The pool handles errors only of idle connections. On a busy one, the statement fails.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  load(): ConnectionLoad {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, busy: totalCount - idleCount, waiting: waitingCount };
  }

  /** Replaces all connections, because their server may no longer be the primary. */
  renew(): void {
    this.#renewedAt = performance.now();
  }

  /**
   * Lends a connection.
   *
   * @throws the error of `pg`, or DatabaseUnavailableError, if no primary is reached or no connection becomes free in time.
   */
  async acquire(): Promise<Session> {
    const startedAt = performance.now();
    for (;;) {
      try {
        if (!this.#isReachable) await this.#probe();
        const client = await this.#connect();
        const { openedAt, processId } = this.#opened.get(client) as OpenedClient;
        if (openedAt > this.#renewedAt) return new Session(client, processId, this.#settings, this.#events);
        client.release(true);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || !this.#mayWait(startedAt)) throw error;
        await pause(reconnectPauseMs());
      }
    }
  }

  /** Cancels the statement of another connection, if it still runs. It cannot cancel a later one after it has resolved. */
  async cancel(processId: number): Promise<void> {
    const session = await this.acquire();
    try {
      await session.query("select pg_cancel_backend($1)", [processId]);
    } finally {
      session.release();
    }
  }

  /** Closes each connection when it is released. Call it when no caller waits for one. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Whether a caller may wait after a failed attempt: for a connection that is in use, or for the end of a short outage. */
  #mayWait(startedAt: number): boolean {
    if (this.#pool.totalCount === 0) return this.#reachability.isShortOutage;
    return performance.now() - startedAt < this.#settings.connectTimeoutMs;
  }

  #connect(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.#pool.connect((error, client) => {
        if (client !== undefined) return resolve(client);
        if (this.#pool.totalCount === 0) this.#isReachable = false;
        reject(error);
      });
    });
  }

  /** Opens one connection for all callers, so that they do not flood a server that cannot be reached. */
  #probe(): Promise<void> {
    this.#probing ??= this.#open().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #open(): Promise<void> {
    const earlyMs = this.#failedAt + reconnectPauseMs() - performance.now();
    if (earlyMs > 0) await pause(earlyMs);
    try {
      (await this.#connect()).release();
      this.#isReachable = true;
    } catch (error) {
      this.#failedAt = performance.now();
      throw error;
    }
  }

  /** @throws DatabaseUnavailableError if the server is read-only. A former primary that became a standby would return stale rows. */
  async #inspect(client: pg.Client): Promise<void> {
    // Ends the wait for a silent server.
    const timer = setTimeout(() => client.end(), this.#settings.connectTimeoutMs);
    const { rows } = await client.query(INSPECT).finally(() => clearTimeout(timer));
    const [{ pid, is_read_only }] = rows as [{ pid: number; is_read_only: boolean }];
    if (is_read_only)
      throw new DatabaseUnavailableError("the database is read-only: it is a standby, or configured as read-only");
    this.#opened.set(client, { openedAt: performance.now(), processId: pid });
    this.#reachability.noteReached();
  }
}
