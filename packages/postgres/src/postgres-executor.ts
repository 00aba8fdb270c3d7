import { setTimeout as pause } from "node:timers/promises";
import type { CompiledStatement } from "./compiled-statement.js";
import type { ConnectionPool, ConnectionUse } from "./connection-pool.js";
import { createBatcher } from "./create-batcher.js";
import type { Executor } from "./executor.js";
import { getStatementOutcome, isCanceledError, mayRetryTransaction, OutcomeUnknownError } from "./postgres-error.js";
import type { RequestDeadline } from "./request-deadline.js";
import { computeRetryPauseMs, MAX_STATEMENT_ATTEMPTS } from "./retry-pause.js";
import type { Session } from "./session.js";
import { findStatementContext, type StatementContext } from "./statement-context.js";

/** The maximum number of concurrent batches of a lookup. With two, this process reads one result while the server runs the next batch. */
const MAX_BATCHES = 2;

/** Called after each statement with its duration in milliseconds. Outside transactions, the duration includes the wait for a connection. */
export type StatementObserver = (use: ConnectionUse, ms: number) => void;

type Lookup = (values: readonly unknown[]) => Promise<unknown[]>;

interface BatchRow {
  /** The 1-based position of the run that the row belongs to. */
  readonly place: number;
}

/**
 * Runs statements on a PostgreSQL server. Statements that change or lock rows have separate connections, so that reads never wait for locks.
 *
 * Makes up to four attempts to run a statement that failed with a transient error, or that only reads and lost its connection. Never retries a
 * write that may have taken effect.
 */
export class PostgresExecutor implements Executor {
  readonly #connections: Readonly<Record<ConnectionUse, ConnectionPool>>;
  readonly #coalesces: boolean;
  readonly #observe: StatementObserver | undefined;
  readonly #lookups = new Map<CompiledStatement, Lookup>();
  #inProgress = 0;
  #isClosed = false;
  #onIdle = () => {};

  /** @param coalesces whether concurrent runs of a lookup share a statement. */
  constructor(
    connections: Readonly<Record<ConnectionUse, ConnectionPool>>,
    coalesces: boolean,
    observe: StatementObserver | undefined,
  ) {
    this.#connections = connections;
    this.#coalesces = coalesces;
    this.#observe = observe;
  }

  run<R>(statement: CompiledStatement, values: readonly unknown[]): Promise<R[]> {
    const context = findStatementContext();
    return this.#track(() => {
      const rows =
        statement.batch !== undefined && this.#coalesces
          ? this.#findLookup(statement, statement.batch)(values)
          : this.#runAlone(statement, values, context?.deadline);
      trace(context, statement.sql, rows);
      return rows;
    }) as Promise<R[]>;
  }

  transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    return this.#track(() =>
      this.#onSession("writes", (session) => this.#runTransaction(session, work), mayRetryTransaction),
    );
  }

  /** Rejects new statements, and waits until those in progress have finished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#inProgress === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error("the database is closed: run statements before closing it");
    this.#inProgress++;
    try {
      return await work();
    } finally {
      this.#inProgress--;
      if (this.#inProgress === 0) this.#onIdle();
    }
  }

  #findLookup(statement: CompiledStatement, batch: CompiledStatement): Lookup {
    const known = this.#lookups.get(statement);
    if (known !== undefined) return known;
    const lookup = createBatcher((runs: readonly (readonly unknown[])[]) => this.#runLookups(statement, batch, runs), {
      concurrency: MAX_BATCHES,
      size: statement.batchSize ?? 1,
      gathers: true,
    });
    this.#lookups.set(statement, lookup);
    return lookup;
  }

  async #runLookups(
    statement: CompiledStatement,
    batch: CompiledStatement,
    runs: readonly (readonly unknown[])[],
  ): Promise<unknown[][]> {
    const [first = []] = runs;
    if (runs.length === 1) return [await this.#runAlone(statement, first, undefined)];
    const columns = first.map((_, index) => runs.map((values) => values[index]));
    const rowsByRun: unknown[][] = runs.map(() => []);
    for (const row of await this.#runAlone(batch, columns, undefined))
      rowsByRun[(row as BatchRow).place - 1]?.push(row);
    return rowsByRun;
  }

  async #runAlone(
    { sql, writes }: CompiledStatement,
    values: readonly unknown[],
    deadline: RequestDeadline | undefined,
  ): Promise<unknown[]> {
    const use = writes ? "writes" : "reads";
    const startedAt = performance.now();
    const mayRetry = (error: unknown) => {
      const outcome = getStatementOutcome(error);
      if (writes && outcome === "unknown") throw new OutcomeUnknownError(error);
      return outcome !== "ran" && !isCanceledError(error);
    };
    try {
      const { rows } = await this.#onSession(use, (session) => session.query(sql, values, deadline), mayRetry);
      return rows;
    } finally {
      this.#observe?.(use, performance.now() - startedAt);
    }
  }

  async #runTransaction<T>(session: Session, work: (transaction: Executor) => Promise<T>): Promise<T> {
    const deadline = findStatementContext()?.deadline;
    await session.query("start transaction isolation level read committed", [], deadline);
    try {
      const result = await work(new TransactionExecutor(session, this.#observe));
      const { command } = await session.query("commit", [], deadline);
      if (command === "ROLLBACK")
        throw new Error("the transaction was rolled back, because one of its statements had failed");
      return result;
    } catch (error) {
      await session.rollback().catch(() => {});
      throw error;
    }
  }

  /** Runs work on a connection. Retries the work if it throws an error that `mayRetry` accepts, but not if no connection can be acquired. */
  async #onSession<T>(
    use: ConnectionUse,
    work: (session: Session) => Promise<T>,
    mayRetry: (error: unknown) => boolean,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const session = await this.#connections[use].acquire();
      try {
        return await work(session);
      } catch (error) {
        if (!mayRetry(error) || attempt === MAX_STATEMENT_ATTEMPTS) throw error;
      } finally {
        session.release();
      }
      await pause(computeRetryPauseMs(attempt));
    }
  }
}

class TransactionExecutor implements Executor {
  readonly #session: Session;
  readonly #observe: StatementObserver | undefined;

  constructor(session: Session, observe: StatementObserver | undefined) {
    this.#session = session;
    this.#observe = observe;
  }

  async run<R>({ sql }: CompiledStatement, values: readonly unknown[]): Promise<R[]> {
    const context = findStatementContext();
    const startedAt = performance.now();
    const result = this.#session.query(sql, values, context?.deadline);
    trace(context, sql, result);
    try {
      return (await result).rows;
    } finally {
      this.#observe?.("writes", performance.now() - startedAt);
    }
  }

  transaction(): Promise<never> {
    return Promise.reject(new Error("transactions do not nest: run the statements in the outer transaction"));
  }
}

function trace(context: StatementContext | undefined, sql: string, result: Promise<unknown>): void {
  if (context === undefined || context.traces.length === 0) return;
  const startedAt = performance.now();
  const end = (error: unknown) => {
    for (const each of context.traces) each(sql, startedAt, error);
  };
  result.then(() => end(undefined), end);
}
