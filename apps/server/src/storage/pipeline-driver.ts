import type {
  CompiledQuery,
  ControlConnectionProvider,
  DatabaseConnection,
  Driver,
  QueryCompiler,
  QueryResult,
  TransactionSettings,
} from "kysely";
import type { Pipeline } from "./pipeline.js";
import { PreparedQuery } from "./prepared-query.js";

/** Where a driver runs its statements. */
export interface PipelineDriverParts {
  /** For statements that neither change nor lock rows. */
  readonly reads: Pipeline;
  readonly writes: Pipeline;
  /** Gives connections to those that need one to themselves. */
  readonly own: Driver;
}

/**
 * Runs prepared statements that stand alone over shared connections. Transactions, and statements of which it is not known
 * that they ask nothing of their session, get a connection of their own, and keep it until Kysely releases theirs.
 */
export class PipelineDriver implements Driver {
  readonly #parts: PipelineDriverParts;
  readonly #free: LightConnection[] = [];
  #acquired = 0;
  #onAllReleased: () => void = () => {};

  constructor(parts: PipelineDriverParts) {
    this.#parts = parts;
  }

  init(): Promise<void> {
    return this.#parts.own.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#acquired++;
    return this.#free.pop() ?? new LightConnection(this.#parts);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const light = connection as LightConnection;
    try {
      if (light.hasOwn) await light.releaseOwn();
    } finally {
      this.#free.push(light);
      this.#acquired--;
      if (this.#acquired === 0) this.#onAllReleased();
    }
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await this.#parts.own.beginTransaction(await ownOf(connection), settings);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#parts.own.commitTransaction(await ownOf(connection));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#parts.own.rollbackTransaction(await ownOf(connection));
  }

  async savepoint(connection: DatabaseConnection, name: string, compile: QueryCompiler["compileQuery"]): Promise<void> {
    await this.#parts.own.savepoint?.(await ownOf(connection), name, compile);
  }

  async rollbackToSavepoint(
    connection: DatabaseConnection,
    name: string,
    compile: QueryCompiler["compileQuery"],
  ): Promise<void> {
    await this.#parts.own.rollbackToSavepoint?.(await ownOf(connection), name, compile);
  }

  async releaseSavepoint(
    connection: DatabaseConnection,
    name: string,
    compile: QueryCompiler["compileQuery"],
  ): Promise<void> {
    await this.#parts.own.releaseSavepoint?.(await ownOf(connection), name, compile);
  }

  /** Waits for what has a connection, and closes all. */
  async destroy(): Promise<void> {
    if (this.#acquired > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onAllReleased = resolve;
      await promise;
    }
    await Promise.all([this.#parts.reads.close(), this.#parts.writes.close(), this.#parts.own.destroy()]);
  }
}

/** What Kysely takes for a connection: none at all, until something needs one of its own. */
class LightConnection implements DatabaseConnection {
  readonly #parts: PipelineDriverParts;
  #own: Promise<DatabaseConnection> | undefined;

  constructor(parts: PipelineDriverParts) {
    this.#parts = parts;
  }

  get hasOwn(): boolean {
    return this.#own !== undefined;
  }

  own(): Promise<DatabaseConnection> {
    this.#own ??= this.#parts.own.acquireConnection();
    return this.#own;
  }

  async releaseOwn(): Promise<void> {
    const own = await this.#own?.catch(() => undefined);
    this.#own = undefined;
    if (own !== undefined) await this.#parts.own.releaseConnection(own);
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#own !== undefined || !(query instanceof PreparedQuery)) return this.#executeOnOwn(query);
    const pipeline = query.writes ? this.#parts.writes : this.#parts.reads;
    return pipeline.run(query) as Promise<QueryResult<R>>;
  }

  async #executeOnOwn<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return (await this.own()).executeQuery<R>(query);
  }

  async *streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    yield* (await this.own()).streamQuery<R>(query, chunkSize);
  }

  /** Kysely asks for this before a statement that it may have to cancel: only one that runs alone can be. */
  async collectSessionInfo(): Promise<void> {
    await (await this.own()).collectSessionInfo?.();
  }

  async cancelQuery(provider: ControlConnectionProvider): Promise<void> {
    await (await this.own()).cancelQuery?.(provider);
  }

  async killSession(provider: ControlConnectionProvider): Promise<void> {
    await (await this.own()).killSession?.(provider);
  }
}

function ownOf(connection: DatabaseConnection): Promise<DatabaseConnection> {
  return (connection as LightConnection).own();
}
