import { type CompiledQuery, Kysely, type KyselyConfig, type QueryResult } from "kysely";
import type { StatementObserver } from "./connection-pool.js";
import { PreparedQuery } from "./prepared-query.js";

/** Runs prepared statements, each by itself. */
export interface StatementRunner {
  run(query: PreparedQuery<unknown>): Promise<QueryResult<unknown>>;
  /** Waits for the statements under way, and closes the connections. */
  close(): Promise<void>;
}

/** Where statements run that stand alone. */
export interface Pipelines {
  /** For statements that neither change nor lock rows. */
  readonly reads: StatementRunner;
  readonly writes: StatementRunner;
}

/**
 * Runs prepared statements that stand alone over shared connections. Transactions, and statements of which it is not known
 * that they ask nothing of their session, get a connection of their own from the dialect.
 */
export class PipelinedKysely<DB> extends Kysely<DB> {
  readonly #pipelines: Pipelines;
  readonly #ran: StatementObserver["ran"];
  #isDestroyed = false;

  /** @param ran see `StatementObserver`; of those on connections of their own, the configuration tells. */
  constructor(config: KyselyConfig, pipelines: Pipelines, ran?: StatementObserver["ran"]) {
    super(config);
    this.#pipelines = pipelines;
    this.#ran = ran;
  }

  override executeQuery<R>(...[query, options]: Parameters<Kysely<DB>["executeQuery"]>): Promise<QueryResult<R>> {
    if (this.#isDestroyed || !(query instanceof PreparedQuery)) {
      return super.executeQuery<R>(query as CompiledQuery<R>, options);
    }
    const { reads, writes } = this.#pipelines;
    const run = (query.text.writes ? writes : reads).run(query) as Promise<QueryResult<R>>;
    if (this.#ran !== undefined) observe(query.sql, run, this.#ran);
    return run;
  }

  /** Waits for the statements and the transactions that are under way, and closes all connections. */
  override async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([this.#pipelines.reads.close(), this.#pipelines.writes.close()]);
    await super.destroy();
  }
}

function observe(sql: string, run: Promise<unknown>, ran: NonNullable<StatementObserver["ran"]>): void {
  const startedAt = performance.now();
  run.then(
    () => ran(sql, startedAt, undefined),
    (error) => ran(sql, startedAt, error),
  );
}
