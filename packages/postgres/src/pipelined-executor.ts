import { type CallContext, currentCall } from "./call-context.js";
import type { CompiledStatement } from "./compiled-statement.js";
import type { Executor } from "./executor.js";

/** Runs statements outside transactions: a pipeline, or reads on a standby. */
export interface StatementRunner {
  /** @param call the call of the statement; undefined if it has neither a deadline nor a trace. */
  run<R>(statement: CompiledStatement, values: readonly unknown[], call?: CallContext): Promise<R[]>;
}

/** Runs single statements over shared connections, and transactions on separate connections. */
export class PipelinedExecutor implements Executor {
  readonly #reads: StatementRunner;
  readonly #writes: StatementRunner;
  readonly #transactions: Pick<Executor, "transaction">;

  /** @param reads runs the statements that neither change nor lock rows. */
  constructor(reads: StatementRunner, writes: StatementRunner, transactions: Pick<Executor, "transaction">) {
    this.#reads = reads;
    this.#writes = writes;
    this.#transactions = transactions;
  }

  run<R>(statement: CompiledStatement, values: readonly unknown[]): Promise<R[]> {
    const call = currentCall();
    const rows = (statement.writes ? this.#writes : this.#reads).run<R>(statement, values, call);
    if (call !== undefined && call.traces.length > 0) trace(call, statement.sql, rows);
    return rows;
  }

  transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T> {
    return this.#transactions.transaction(work);
  }
}

function trace({ traces }: CallContext, sql: string, rows: Promise<unknown>): void {
  const startedAt = performance.now();
  const end = (error: unknown) => {
    for (const each of traces) each(sql, startedAt, error);
  };
  rows.then(() => end(undefined), end);
}
