import { type CallContext, currentCall } from "./call-context.js";
import type { CompiledStatement } from "./compiled-statement.js";
import type { Executor } from "./executor.js";

/** Runs statements outside transactions: a pipeline, or reads on a standby. */
export interface StatementRunner {
  /** @param call the call of the statement; undefined if it has neither a deadline nor a trace. */
  run<R>(statement: CompiledStatement, values: readonly unknown[], call?: CallContext): Promise<R[]>;
}

/**
 * Creates an executor that runs single statements over shared connections, and transactions on separate connections.
 *
 * @param reads runs the statements that neither change nor lock rows.
 */
export function createPipelinedExecutor(
  reads: StatementRunner,
  writes: StatementRunner,
  transactions: Pick<Executor, "transaction">,
): Executor {
  return {
    run<R>(statement: CompiledStatement, values: readonly unknown[]) {
      const call = currentCall();
      const rows = (statement.writes ? writes : reads).run<R>(statement, values, call);
      if (call !== undefined && call.traces.length > 0) trace(call, statement.sql, rows);
      return rows;
    },
    transaction: (work) => transactions.transaction(work),
  };
}

function trace({ traces }: CallContext, sql: string, rows: Promise<unknown>): void {
  const startedAt = performance.now();
  const end = (error: unknown) => {
    for (const each of traces) each(sql, startedAt, error);
  };
  rows.then(() => end(undefined), end);
}
