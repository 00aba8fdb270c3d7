import {
  type DatabaseConnection,
  type Dialect,
  PGliteAdapter,
  PGliteDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { EmbeddedEngine } from "./embedded-engine.js";

/** Creates the Kysely dialect of the embedded database. */
export function createEmbeddedDialect(engine: EmbeddedEngine): Dialect {
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => new ExclusiveDriver(engine),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/**
 * Makes Kysely leave exclusive access to the driver. Kysely itself would hold the connection until a commit is synced.
 */
class ConcurrentAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Gives the single connection to one caller at a time, so that no statement runs inside another request's transaction.
 *
 * Delays results and errors until everything committed so far is durable, including commits of other requests. A caller
 * therefore never sees a row that a power cut could revert. Later statements run meanwhile, and share the sync.
 */
class ExclusiveDriver extends PGliteDriver {
  readonly #engine: EmbeddedEngine;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(engine: EmbeddedEngine) {
    super({ pglite: () => engine.open() });
    this.#engine = engine;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const free = this.#free;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#free = promise;
    await free;
    this.#release = resolve;
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#release();
    await this.#engine.durable();
  }

  /** Waits for running and queued statements, because PGlite rejects queued ones when it closes. */
  override async destroy(): Promise<void> {
    await this.#free;
    await super.destroy();
    this.#engine.requireClosed();
  }
}
