import { PGlite } from "@electric-sql/pglite";
import { type DatabaseConnection, type Driver, PGliteDialect, PGliteDriver } from "kysely";

/** Keeps nothing: the database ends with the process. */
export const IN_MEMORY = "memory://";

/**
 * The dialect of the embedded database, PostgreSQL compiled to WebAssembly.
 *
 * @param directory where its files are, or `memory://`.
 */
export class EmbeddedDialect extends PGliteDialect {
  readonly #pglite: PGlite;

  constructor(directory: string) {
    const pglite = new PGlite(directory);
    super({ pglite });
    this.#pglite = pglite;
  }

  override createDriver(): Driver {
    return new ExclusiveDriver({ pglite: this.#pglite });
  }
}

/**
 * Hands out the one connection to one caller at a time. Kysely's own driver hands it to all, so that a statement of one
 * request would run inside the transaction of another.
 */
class ExclusiveDriver extends PGliteDriver {
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

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
  }

  /** Waits for the statements that run or wait: PGlite itself refuses those that it has not begun. */
  override async destroy(): Promise<void> {
    await this.#free;
    await super.destroy();
  }
}
