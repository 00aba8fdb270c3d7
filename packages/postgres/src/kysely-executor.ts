import { setTimeout as pause } from "node:timers/promises";
import { createQueryId, type Kysely } from "kysely";
import type { CompiledStatement } from "./compiled-statement.js";
import type { Executor } from "./executor.js";
import { mayRetryTransaction } from "./postgres-error.js";
import { computeRetryPauseMs, MAX_STATEMENT_ATTEMPTS } from "./retry-pause.js";

/** Runs prepared statements on a Kysely instance of any PostgreSQL dialect, or on one of its transactions. */
export class KyselyExecutor<DB> implements Executor {
  readonly #kysely: Kysely<DB>;

  constructor(kysely: Kysely<DB>) {
    this.#kysely = kysely;
  }

  run<R>({ query, sql }: CompiledStatement, parameters: readonly unknown[]): Promise<R[]> {
    return this.#kysely.executeQuery<R>({ query, sql, parameters, queryId: createQueryId() }).then(({ rows }) => rows);
  }

  async transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const transaction = this.#kysely.transaction().setIsolationLevel("read committed");
        return await transaction.execute((kysely) => work(new KyselyExecutor(kysely)));
      } catch (error) {
        if (attempt === MAX_STATEMENT_ATTEMPTS || !mayRetryTransaction(error)) throw error;
      }
      await pause(computeRetryPauseMs(attempt));
    }
  }
}
