import { setTimeout as pause } from "node:timers/promises";
import {
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from "kysely";
import pg from "pg";
import type { ConnectionLoad } from "./connection-pool.js";
import type { Outage } from "./outage.js";
import { OwnClient } from "./own-client.js";
import type { PipelineObserver } from "./pipeline.js";
import type { ConnectionSettings } from "./pipeline-connection.js";
import { isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";

/** After a failed attempt to connect, the next one is not before this, and up to twice as long, by chance. */
const RECONNECT_AFTER_MS = 100;

/** Connections for transactions, and for statements that need one to themselves. */
export interface OwnConnections {
  readonly dialect: PostgresDialect;
  /** Replaces all of them: they may lead to a server that is not the right one any more. */
  renew(): void;
  /** How they are used now. */
  load(): ConnectionLoad;
}

/**
 * @param max the most connections.
 * @param outage what is known of the server by all who use it.
 */
export function createOwnConnections(
  settings: ConnectionSettings,
  max: number,
  { onIdleError, onReadOnly }: PipelineObserver,
  outage: Outage,
): OwnConnections {
  let epoch = 0;
  const epochs = new WeakMap<pg.PoolClient, number>();
  const pool = new pg.Pool({
    max,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    Client: class extends OwnClient {
      constructor() {
        super(settings, onReadOnly);
      }
    },
  });
  pool.on("error", onIdleError);
  pool.on("connect", (client) => {
    outage.noteReached();
    epochs.set(client, epoch);
    // The pool listens to a connection only while nobody uses it; whoever does sees the statement fail.
    client.on("error", () => {});
  });
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await pool.connect();
      if (epochs.get(client) === epoch && !(client instanceof OwnClient && client.isStale)) return client;
      client.release(true);
    }
  };
  return {
    dialect: new PatientDialect({ pool: { connect, end: () => pool.end(), options: pool.options } }, outage),
    renew() {
      epoch++;
    },
    load: () => ({ open: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
  };
}

/** Closes only when nobody has a connection, or waits for one. */
class PatientDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #outage: Outage;

  constructor(config: PostgresDialectConfig, outage: Outage) {
    super(config);
    this.#config = config;
    this.#outage = outage;
  }

  override createDriver(): Driver {
    return new PatientDriver(this.#config, this.#outage);
  }
}

type Connection = Parameters<PostgresDriver["releaseConnection"]>[0];

class PatientDriver extends PostgresDriver {
  readonly #outage: Outage;
  readonly #lost = new WeakSet<DatabaseConnection>();
  #acquired = 0;
  #onAllReleased: () => void = () => {};

  constructor(config: PostgresDialectConfig, outage: Outage) {
    super(config);
    this.#outage = outage;
  }

  override async acquireConnection(...options: Parameters<Driver["acquireConnection"]>): Promise<DatabaseConnection> {
    this.#acquired++;
    for (;;) {
      try {
        return await super.acquireConnection(...options);
      } catch (error) {
        if (!isDatabaseUnavailable(error) || !this.#outage.isShort) {
          this.#onRelease();
          throw error;
        }
        await pause(RECONNECT_AFTER_MS * (1 + Math.random()));
      }
    }
  }

  /** @throws OutcomeUnknownError if the connection is lost meanwhile. Before, the server rolls back what it has not committed. */
  override async commitTransaction(connection: Connection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      this.#lost.add(connection);
      throw new OutcomeUnknownError(error);
    }
  }

  override async rollbackTransaction(connection: Connection): Promise<void> {
    const isLost = this.#lost.delete(connection);
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      // What came of the commit is what the caller is to be told, not that there is nothing to roll back over.
      if (!isLost) throw error;
    }
  }

  override async releaseConnection(connection: Connection): Promise<void> {
    await super.releaseConnection(connection);
    this.#onRelease();
  }

  override async destroy(): Promise<void> {
    if (this.#acquired > 0) {
      await new Promise<void>((resolve) => {
        this.#onAllReleased = resolve;
      });
    }
    await super.destroy();
  }

  #onRelease(): void {
    this.#acquired--;
    if (this.#acquired === 0) this.#onAllReleased();
  }
}
