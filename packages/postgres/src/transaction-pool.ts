import { type Dialect, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import pg from "pg";
import type { ConnectionSettings } from "./connection-settings.js";
import { DrainingDriver } from "./draining-driver.js";
import type { PipelineObserver } from "./pipeline.js";
import type { ConnectionLoad } from "./pool-stats.js";
import type { Reachability } from "./reachability.js";
import { TransactionClient } from "./transaction-client.js";

/** A pool of connections for transactions, and for statements that need a session. */
export interface TransactionPool {
  readonly dialect: Dialect;
  /** Replaces all connections, because their server may no longer be the primary. */
  renew(): void;
  load(): ConnectionLoad;
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
  let epoch = 0;
  const epochs = new WeakMap<pg.PoolClient, number>();
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
    epochs.set(client, epoch);
    // The pool handles errors only of idle connections. On a busy one, the statement fails.
    client.on("error", () => {});
  });
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await pool.connect();
      if (epochs.get(client) === epoch && !(client instanceof TransactionClient && client.isStale)) return client;
      client.release(true);
    }
  };
  const drained = { connect, end: () => pool.end(), options: pool.options };
  return {
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DrainingDriver({ pool: drained }, reachability),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    renew() {
      epoch++;
    },
    load: () => ({ open: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
  };
}
