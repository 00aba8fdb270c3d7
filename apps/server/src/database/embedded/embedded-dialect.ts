import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type { EngineClient } from "./engine-client.js";

export function createEmbeddedDialect(engine: EngineClient): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new EmbeddedDriver(engine),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Runs statements on the engine, which has a single session. While a transaction is open, statements outside the transaction wait until it ends. */
class EmbeddedDriver implements Driver {
  readonly #engine: EngineClient;
  readonly #session: Session = { transaction: undefined };

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  init(): Promise<void> {
    return this.#engine.open();
  }

  async acquireConnection(): Promise<EmbeddedConnection> {
    return new EmbeddedConnection(this.#engine, this.#session);
  }

  beginTransaction(connection: EmbeddedConnection, settings: TransactionSettings): Promise<void> {
    return connection.begin(settings);
  }

  async commitTransaction(connection: EmbeddedConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: EmbeddedConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async releaseConnection(connection: EmbeddedConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    while (this.#session.transaction !== undefined) await this.#session.transaction;
    await this.#engine.close();
  }
}

interface Session {
  /** Resolves at the end of the open transaction. Undefined without an open transaction. */
  transaction: Promise<void> | undefined;
}

class EmbeddedConnection implements DatabaseConnection {
  readonly #engine: EngineClient;
  readonly #session: Session;
  #endTransaction: (() => void) | undefined;

  constructor(engine: EngineClient, session: Session) {
    this.#engine = engine;
    this.#session = session;
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    // There must be no `await` between this loop and the assignment to `this.#session.transaction`, so that only one transaction is open.
    while (this.#session.transaction !== undefined) await this.#session.transaction;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#session.transaction = promise;
    this.#endTransaction = resolve;
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode].filter(Boolean);
    await this.#engine.query(`start transaction ${modes.join(", ")}`, []);
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#endTransaction === undefined) {
      while (this.#session.transaction !== undefined) await this.#session.transaction;
    }
    return { rows: (await this.#engine.query(sql, parameters)) as R[] };
  }

  // biome-ignore lint/correctness/useYield: Kysely requires the method, and this dialect has no cursors.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("the embedded database cannot stream the rows of a statement");
  }

  release(): void {
    if (this.#endTransaction === undefined) return;
    this.#session.transaction = undefined;
    this.#endTransaction();
    this.#endTransaction = undefined;
  }
}
