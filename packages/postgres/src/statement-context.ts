import { AsyncLocalStorage } from "node:async_hooks";
import { RequestDeadline } from "./request-deadline.js";

/**
 * Called after each run of a statement, including runs that shared a round trip with others.
 *
 * @param startedAt the start, in milliseconds of `performance.now()`.
 * @param error the error of the statement; undefined if it succeeded.
 */
export type StatementTrace = (sql: string, startedAt: number, error: unknown) => void;

/** The deadline and traces of the statements of a request, or the traces of the requests that share a batch. */
export interface StatementContext {
  readonly deadline: RequestDeadline | undefined;
  readonly traces: readonly StatementTrace[];
}

const contexts = new AsyncLocalStorage<StatementContext | undefined>();

/** Returns the context of the current request; undefined without `runWithDeadline` and `runTraced`. */
export function currentContext(): StatementContext | undefined {
  return contexts.getStore();
}

/**
 * Runs a request with a deadline. After the deadline, waiting statements are not sent, and running ones are canceled. A statement that several
 * requests share runs to its end.
 *
 * @param signal aborts when the caller disconnects or its deadline passes.
 */
export async function runWithDeadline<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = new RequestDeadline(signal);
  try {
    return await contexts.run({ deadline, traces: currentContext()?.traces ?? [] }, work);
  } finally {
    deadline.end();
  }
}

/** Runs a request, and calls `trace` after each of its statements. */
export function runTraced<T>(trace: StatementTrace, work: () => T): T {
  return contexts.run({ deadline: currentContext()?.deadline, traces: [trace] }, work);
}

/** Runs work without the deadline of the current request, because other requests, or none, wait for it too. */
export function runDetached<T>(work: () => T): T {
  return runShared([currentContext()], work);
}

/** Runs work for several requests, without their deadlines and with all their traces. */
export function runShared<T>(shared: readonly (StatementContext | undefined)[], work: () => T): T {
  const traces = shared.flatMap((context) => context?.traces ?? []);
  return contexts.run(traces.length === 0 ? undefined : { deadline: undefined, traces }, work);
}
