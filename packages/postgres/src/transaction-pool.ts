import { setTimeout as pause } from "node:timers/promises";
import { type Dialect, PostgresDialect } from "kysely";
import pg from "pg";
import type { ConnectionSettings } from "./connection-settings.js";
import type { PipelineObserver } from "./pipeline.js";
import type { ConnectionLoad } from "./pool-stats.js";
import { isDatabaseUnavailable } from "./postgres-error.js";
import type { Reachability } from "./reachability.js";
import { reconnectPauseMs } from "./retry-pause.js";
import { TransactionClient } from "./transaction-client.js";

/** A pool of connections for transactions, and for statements that need a session. */
export interface TransactionPool {
  readonly dialect: Dialect;
  /** Replaces all connections, because their server may no longer be the primary. */
  renew(): void;
  load(): ConnectionLoad;
  /** Resolves when no transaction waits for a connection. Kysely would reject those when it closes, but waits for the others. */
  drain(): Promise<void>;
}

/**
 * @param max the maximum number of connections.
 * @param reachability is shared by all pools of the server.
 */
export function createTransactionPool(
  settings: ConnectionSettings,
  max: number,
  { onIdleError, onReadOnly }: PipelineObserver,
  reachability: Reachability,
): TransactionPool {
  let renewedAt = Number.NEGATIVE_INFINITY;
  const pool = new pg.Pool({
    max,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    Client: class extends TransactionClient {
      constructor() {
        super(settings, onReadOnly);
      }
    },
  });
  pool.on("error", onIdleError);
  pool.on("connect", (client) => {
    reachability.noteReached();
    // The pool handles errors only of idle connections. On a busy one, the statement fails.
    client.on("error", () => {});
  });

  /** Also waits for the end of a short outage. */
  async function connect(): Promise<pg.PoolClient> {
    for (;;) {
      try {
        const client = (await pool.connect()) as pg.PoolClient & TransactionClient;
        if (!client.isStale && client.createdAt > renewedAt) return client;
        client.release(true);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || !reachability.isShortOutage) throw error;
        await pause(reconnectPauseMs());
      }
    }
  }

  const waiting = new Set<Promise<unknown>>();
  const connectTracked = () => {
    const client = connect();
    waiting.add(client);
    const forget = () => waiting.delete(client);
    client.then(forget, forget);
    return client;
  };
  return {
    dialect: new PostgresDialect({ pool: { connect: connectTracked, end: () => pool.end(), options: pool.options } }),
    renew() {
      renewedAt = performance.now();
    },
    load: () => ({ open: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    async drain() {
      while (waiting.size > 0) await Promise.allSettled(waiting);
    },
  };
}
