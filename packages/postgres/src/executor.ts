import type { StatementText } from "./statement-text.js";

/** Runs prepared statements: a database, or a transaction on one. */
export interface Executor {
  /**
   * Runs a statement for the current call; see `runWithDeadline`.
   *
   * @param values of the statement's parameters, in their order.
   * @throws the database's error, OutcomeUnknownError or another DatabaseUnavailableError, or CallAbandonedError.
   */
  run<R>(statement: StatementText, values: readonly unknown[]): Promise<R[]>;
  /**
   * Runs work in a transaction at isolation level "read committed". Runs it again, up to four times in all, after a failure that
   * may pass and that left nothing behind: a deadlock, or a connection lost before the commit.
   *
   * @param work runs statements only, as it may run more than once. Transactions do not nest.
   * @throws as `run`; OutcomeUnknownError if the connection was lost during the commit.
   */
  transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T>;
}
