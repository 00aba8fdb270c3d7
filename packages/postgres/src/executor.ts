import type { CompiledStatement } from "./compiled-statement.js";

/** A database or a transaction that runs prepared statements. */
export interface Executor {
  /**
   * Runs a statement under the deadline of the current request; see `runWithDeadline`.
   *
   * @param values the parameter values, in the order of the placeholders in the SQL.
   * @throws the error that the database reports, a DatabaseUnavailableError such as OutcomeUnknownError, or RequestAbandonedError.
   */
  run<R>(statement: CompiledStatement, values: readonly unknown[]): Promise<R[]>;
  /**
   * Runs work in a transaction at isolation level "read committed". If the transaction is rolled back by a deadlock, or by a connection lost
   * before the commit, the work is retried. There are at most four attempts in total.
   *
   * @param work must have no effects other than its statements, because it may run more than once. It must not start a transaction.
   * @throws the same errors as `run`; OutcomeUnknownError if the connection is lost during the commit.
   */
  transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T>;
}
