import {
  type CompiledQuery,
  type ConnectionBuilder,
  type ControlledTransactionBuilder,
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionBuilder,
} from "kysely";

/** Stands for a database that is opened later. */
export class AwaitedKysely<DB> extends Kysely<DB> {
  readonly #opened: () => Kysely<DB>;

  /** @param opened gives the database, or throws why it is not there. */
  constructor(opened: () => Kysely<DB>) {
    const adapter = new PostgresAdapter();
    const compiler = new PostgresQueryCompiler();
    const driver = new DummyDriver();
    const dialect = {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
      createQueryCompiler: () => compiler,
    };
    const executor = new DefaultQueryExecutor(compiler, adapter, {
      provideConnection: async (...options) =>
        opened()
          .getExecutor()
          .provideConnection(...options),
    });
    super({ config: { dialect }, dialect, driver, executor });
    this.#opened = opened;
  }

  override executeQuery<R>(...[query, options]: Parameters<Kysely<DB>["executeQuery"]>): Promise<QueryResult<R>> {
    try {
      return this.#opened().executeQuery(query as CompiledQuery<R>, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  override connection(): ConnectionBuilder<DB> {
    return this.#opened().connection();
  }

  override transaction(): TransactionBuilder<DB> {
    return this.#opened().transaction();
  }

  override startTransaction(): ControlledTransactionBuilder<DB> {
    return this.#opened().startTransaction();
  }
}
