import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { ConnectionSettings } from "./connection-settings.js";
import type { OutageClock } from "./outage-clock.js";
import { DatabaseUnavailableError, isDatabaseUnavailable } from "./postgres-error.js";
import { reconnectPauseMs } from "./retry-pause.js";
import { Session, type SessionEvents } from "./session.js";

/** The use of connections: for reads outside transactions, or for writes and transactions. */
export type ConnectionUse = "reads" | "writes";

/** Statistics of the connections for one use. */
export interface ConnectionPoolStats {
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
export interface ConnectionPoolEvents extends SessionEvents {
  /** Called when an idle connection fails. It is replaced on demand. */
  onIdleError(error: Error): void;
}

/** An open connection. */
interface OpenedClient {
  /** In milliseconds of `performance.now()`. */
  readonly openedAt: number;
  /** The process of the server. */
  readonly processId: number;
  /** The end of its last use, in milliseconds of `performance.now()`. */
  usedAt: number;
}

/**
 * Idle time after which TCP checks a connection. Load balancers drop idle connections after minutes, and without this, the system
 * would check after two hours.
 */
const KEEP_ALIVE_MS = 30_000;

/** Idle time after which a connection is checked before its next use, because a load balancer may have dropped it. */
const MAX_UNCHECKED_MS = 1000;

/** Maximum duration of a check. */
const MAX_CHECK_MS = 2000;

/** Treats every failure to connect that the server does not explain, such as an untrusted certificate, as an unavailable database. */
function toConnectError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || isDatabaseUnavailable(error)) return error;
  const { message } = error as Error;
  return new DatabaseUnavailableError(`the database cannot be connected: ${message}`, { cause: error });
}

/** Returns the first statement of a session, which applies its settings. */
function inspectionOf(session: ConnectionSettings["session"]): string {
  const settings = Object.entries(session).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
  );
  return `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as is_read_only, ${settings.join(", ")}`;
}

/** A pool of connections to a primary. Waits for the end of a short outage. */
export class ConnectionPool {
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionPoolEvents;
  readonly #outageClock: OutageClock;
  readonly #pool: pg.Pool;
  readonly #inspection: string;
  readonly #opened = new WeakMap<pg.ClientBase, OpenedClient>();
  /** Whether a connection is open, or was when the last one was acquired. */
  #isReachable = false;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param max the maximum number of connections.
   * @param outageClock is shared by all pools of the server.
   */
  constructor(settings: ConnectionSettings, max: number, events: ConnectionPoolEvents, outageClock: OutageClock) {
    this.#settings = settings;
    this.#events = events;
    this.#outageClock = outageClock;
    this.#inspection = inspectionOf(settings.session);
    this.#pool = new pg.Pool({
      ...settings.client,
      connectionTimeoutMillis: settings.connectTimeoutMs,
      max,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      idleTimeoutMillis: 0,
      onConnect: (client) => this.#inspect(client as pg.Client),
    });
    this.#pool.on("error", events.onIdleError);
    this.#pool.on("release", (_, client) => {
      const opened = this.#opened.get(client);
      if (opened !== undefined) opened.usedAt = performance.now();
    });
    // Lost connections too: they were open until now.
    this.#pool.on("remove", () => outageClock.noteReached());
    // The pool handles errors only of idle connections. On a busy one, the statement fails.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  load(): ConnectionLoad {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, busy: totalCount - idleCount, waiting: waitingCount };
  }

  /**
   * Replaces all connections, because one of them can no longer be used: its server is no longer the primary, or has changed its schema.
   *
   * @param openedAt when that connection was opened. Does nothing if all such connections are being replaced already.
   */
  renew(openedAt: number): void {
    if (openedAt > this.#renewedAt) this.#renewedAt = performance.now();
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
        const opened = this.#opened.get(client) as OpenedClient;
        if (await this.#isUsable(client, opened)) return new Session(client, opened, this.#settings, this.#events);
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
    if (this.#pool.totalCount === 0) return this.#outageClock.isShortOutage;
    return performance.now() - startedAt < this.#settings.connectTimeoutMs;
  }

  /** Whether a connection is still open. If not, all connections that were opened before are replaced. */
  async #isUsable(client: pg.PoolClient, { openedAt, usedAt }: OpenedClient): Promise<boolean> {
    if (openedAt <= this.#renewedAt) return false;
    if (performance.now() - usedAt < MAX_UNCHECKED_MS) return true;
    const { promise: isLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new DatabaseUnavailableError("an idle connection was lost")), MAX_CHECK_MS);
    try {
      await Promise.race([client.query("select"), isLate]);
      return true;
    } catch {
      this.renew(openedAt);
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  #connect(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      this.#pool.connect((error, client) => {
        if (client !== undefined) return resolve(client);
        if (this.#pool.totalCount === 0) this.#isReachable = false;
        reject(toConnectError(error));
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
    const { rows } = await client.query(this.#inspection).finally(() => clearTimeout(timer));
    const [{ pid, is_read_only }] = rows as [{ pid: number; is_read_only: boolean }];
    if (is_read_only)
      throw new DatabaseUnavailableError("the database is read-only: it is a standby, or configured as read-only");
    const now = performance.now();
    this.#opened.set(client, { openedAt: now, usedAt: now, processId: pid });
    this.#outageClock.noteReached();
  }
}
