import type { CompiledStatement } from "./compiled-statement.js";

/** Runs prepared statements: a database or a transaction. */
export interface Executor {
  /**
   * Runs a statement for the current request; see `runWithDeadline`.
   *
   * @param values the values of the parameters, in their order.
   * @throws the database's error, OutcomeUnknownError or another DatabaseUnavailableError, or RequestAbandonedError.
   */
  run<R>(statement: CompiledStatement, values: readonly unknown[]): Promise<R[]>;
  /**
   * Runs work in a transaction at isolation level "read committed". Retries it, up to four attempts in total, after a transient
   * failure that was rolled back: a deadlock, or a connection lost before the commit.
   *
   * @param work must only run statements, as it may run more than once. Transactions do not nest.
   * @throws the errors of `run`; OutcomeUnknownError if the connection was lost during the commit.
   */
  transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T>;
}
