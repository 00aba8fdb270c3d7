import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { ConnectionSettings } from "./connection-settings.js";
import type { OutageClock } from "./outage-clock.js";
import { DatabaseUnavailableError, isDatabaseUnavailable } from "./postgres-error.js";
import { computeReconnectPauseMs } from "./retry-pause.js";
import { Session, type SessionCallbacks } from "./session.js";

/**
 * The statements that run on a connection. With `reads`, they are reads outside transactions. With `writes`, they are writes and all transactions.
 */
export type ConnectionUse = "reads" | "writes";

export interface ConnectionPoolStats {
  readonly use: ConnectionUse;
  /** The maximum number of open connections. */
  readonly max: number;
  readonly load: () => ConnectionLoad;
}

export interface ConnectionLoad {
  readonly open: number;
  /** Open connections with a statement or a transaction in progress. */
  readonly busy: number;
  /** Statements or transactions that wait for a connection. */
  readonly waiting: number;
}

export interface ConnectionPoolCallbacks extends SessionCallbacks {
  /** Called when an idle connection fails. The pool opens a replacement when a statement needs a connection. */
  onIdleError(error: Error): void;
}

interface OpenedClient {
  /** When the connection was opened, in milliseconds of `performance.now()`. */
  readonly openedAt: number;
  /** The id of PostgreSQL's process for the connection. `pg_cancel_backend` needs it. */
  readonly processId: number;
  /** When the last use of the connection ended, in milliseconds of `performance.now()`. */
  usedAt: number;
}

/** Idle time before the first TCP keep-alive probe. The default of two hours is too long, because load balancers drop idle connections earlier. */
const KEEP_ALIVE_MS = 30_000;

/** Idle time after which a connection is checked before its next use, because a load balancer may have dropped it. */
const MAX_UNCHECKED_MS = 1000;

const MAX_CHECK_MS = 2000;

/** Converts a failure to connect, such as an untrusted certificate, to a DatabaseUnavailableError. Returns an error from the server unchanged. */
function toConnectError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || isDatabaseUnavailable(error)) return error;
  const { message } = error as Error;
  return new DatabaseUnavailableError(`cannot connect to the database: ${message}`, { cause: error });
}

/** Returns a session's first statement, which applies the settings and selects the server process id and whether the server is read-only. */
function createInspectionStatement(session: ConnectionSettings["session"]): string {
  const settings = Object.entries(session).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`,
  );
  return `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as is_read_only, ${settings.join(", ")}`;
}

/** A pool of connections to a primary. During a short outage, statements wait for a connection instead of failing. */
export class ConnectionPool {
  readonly #settings: ConnectionSettings;
  readonly #events: ConnectionPoolCallbacks;
  readonly #outageClock: OutageClock;
  readonly #pool: pg.Pool;
  readonly #inspection: string;
  readonly #opened = new WeakMap<pg.ClientBase, OpenedClient>();
  /** Whether the pool has reached the server. False before the first connection, and after a failure to connect while no connection was open. */
  #isReachable = false;
  #failedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** @param outageClock the clock that all pools of a server share. */
  constructor(settings: ConnectionSettings, max: number, events: ConnectionPoolCallbacks, outageClock: OutageClock) {
    this.#settings = settings;
    this.#events = events;
    this.#outageClock = outageClock;
    this.#inspection = createInspectionStatement(settings.session);
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
    // The event `remove` also occurs for a lost connection. The connection was open until this event, so the server was reachable.
    this.#pool.on("remove", () => outageClock.noteReached());
    // Without a listener, the error of a busy connection would end the process. The connection's statement fails with the same error.
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  load(): ConnectionLoad {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, busy: totalCount - idleCount, waiting: waitingCount };
  }

  /**
   * Replaces every open connection before its next use. Call it for an unusable connection: its server is no longer the primary, or the schema
   * has changed. Does nothing if an earlier call already replaces connections that were opened at `openedAt`.
   *
   * @param openedAt when the unusable connection was opened, in milliseconds of `performance.now()`.
   */
  renew(openedAt: number): void {
    if (openedAt > this.#renewedAt) this.#renewedAt = performance.now();
  }

  /**
   * Lends a connection until the session is released.
   *
   * @throws the error from `pg`, or DatabaseUnavailableError, if no primary is reached or no connection becomes free in time.
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
        await pause(computeReconnectPauseMs());
      }
    }
  }

  /** Cancels the current statement of a server process, if any. Once the promise resolves, the request cannot cancel a later statement. */
  async cancel(processId: number): Promise<void> {
    const session = await this.acquire();
    try {
      await session.query("select pg_cancel_backend($1)", [processId]);
    } finally {
      session.release();
    }
  }

  /** Closes each connection when it is released. Call it only while no statement waits for a connection. */
  close(): Promise<void> {
    return this.#pool.end();
  }

  /**
   * Whether `acquire` may retry after a failed attempt. If connections are open, it may retry until the connect timeout. Otherwise, it may retry only
   * during a short outage.
   */
  #mayWait(startedAt: number): boolean {
    if (this.#pool.totalCount === 0) return this.#outageClock.isShortOutage;
    return performance.now() - startedAt < this.#settings.connectTimeoutMs;
  }

  /** Whether a connection is still open. If it is not, the pool also replaces all older connections. */
  async #isUsable(client: pg.PoolClient, { openedAt, usedAt }: OpenedClient): Promise<boolean> {
    if (openedAt <= this.#renewedAt) return false;
    if (performance.now() - usedAt < MAX_UNCHECKED_MS) return true;
    const { promise: isLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new DatabaseUnavailableError("an idle database connection was lost")),
      MAX_CHECK_MS,
    );
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

  /** Opens one connection for all waiting statements, so that they do not flood an unreachable server with attempts. */
  #probe(): Promise<void> {
    this.#probing ??= this.#open().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #open(): Promise<void> {
    const earlyMs = this.#failedAt + computeReconnectPauseMs() - performance.now();
    if (earlyMs > 0) await pause(earlyMs);
    try {
      (await this.#connect()).release();
      this.#isReachable = true;
    } catch (error) {
      this.#failedAt = performance.now();
      throw error;
    }
  }

  /** @throws DatabaseUnavailableError if the server is read-only, because a former primary that is now a standby returns stale rows. */
  async #inspect(client: pg.Client): Promise<void> {
    // Ends the connection if the server does not respond, so that the query below rejects.
    const timer = setTimeout(() => client.end(), this.#settings.connectTimeoutMs);
    const { rows } = await client.query(this.#inspection).finally(() => clearTimeout(timer));
    const [{ pid, is_read_only }] = rows as [{ pid: number; is_read_only: boolean }];
    if (is_read_only)
      throw new DatabaseUnavailableError(
        "the database is read-only, because it is a standby or configured as read-only: connect to the primary, or make the database writable",
      );
    const now = performance.now();
    this.#opened.set(client, { openedAt: now, usedAt: now, processId: pid });
    this.#outageClock.noteReached();
  }
}
