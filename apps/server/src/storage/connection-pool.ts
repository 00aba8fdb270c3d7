import type { LogEvent } from "kysely";

/**
 * What connections are for: single statements that read, single ones that write, or those that need one to themselves. The
 * embedded database has one for all.
 */
export type ConnectionUse = "reads" | "writes" | "transactions" | "embedded";

/** The connections of one use. */
export interface ConnectionPool {
  readonly use: ConnectionUse;
  /** The most that there may be. */
  readonly most: number;
  /** How they are used now. */
  readonly load: () => ConnectionLoad;
}

/** Is told of statements. */
export interface StatementObserver {
  /**
   * One has its answer, or has failed.
   *
   * @param ms how long it took: of one in a transaction from when it was sent, of others from when it was asked for.
   */
  answered(use: ConnectionUse, ms: number): void;
  /**
   * Told of every run of a statement too, also of those that share one, in the asynchronous context of whoever runs it.
   *
   * @param startedAt in the time of `performance.now()`.
   * @param error what it failed with, if it did.
   */
  readonly ran?: ((sql: string, startedAt: number, error: unknown) => void) | undefined;
}

/** How connections are used. */
export interface ConnectionLoad {
  readonly open: number;
  /** Those of the open ones on which a statement, or a transaction, is under way. */
  readonly busy: number;
  /** Statements, or transactions, that wait for their turn. */
  readonly waiting: number;
}

/** Tells an observer of what Kysely runs on connections that it has for itself. */
export function observeQueries(use: ConnectionUse, observer: StatementObserver): (event: LogEvent) => void {
  return (event) => {
    const ms = event.queryDurationMillis;
    observer.answered(use, ms);
    observer.ran?.(event.query.sql, performance.now() - ms, event.level === "error" ? event.error : undefined);
  };
}
