import {
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  PGliteAdapter,
  PGliteDialect,
  PGliteDriver,
} from "kysely";
import type { EmbeddedEngine } from "./embedded-engine.js";

/** The dialect of the embedded database. */
export class EmbeddedDialect extends PGliteDialect {
  readonly #engine: EmbeddedEngine;

  constructor(engine: EmbeddedEngine) {
    super({ pglite: engine.open });
    this.#engine = engine;
  }

  override createAdapter(): DialectAdapter {
    return new SharingAdapter();
  }

  override createDriver(): Driver {
    return new ExclusiveDriver(this.#engine);
  }
}

/** Leaves it to the driver who has the connection when: Kysely would keep it until the sync of a commit is over. */
class SharingAdapter extends PGliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Hands out the one connection to one caller at a time, so that no statement runs inside the transaction of another request.
 *
 * Answers, and errors, are handed over when everything committed until then is durable, also what other requests committed: a
 * caller never hears of a row that a power cut could take back. The next statements run meanwhile, and share the sync.
 */
class ExclusiveDriver extends PGliteDriver {
  readonly #engine: EmbeddedEngine;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(engine: EmbeddedEngine) {
    super({ pglite: engine.open });
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

  /** Waits for the statements that run or wait: PGlite itself refuses those that it has not begun. */
  override async destroy(): Promise<void> {
    await this.#free;
    await super.destroy();
    this.#engine.requireClosed();
  }
}
