import { AsyncLocalStorage } from "node:async_hooks";
import { RequestDeadline } from "./request-deadline.js";

/**
 * Called after each run of a statement, including runs that shared one statement with other runs.
 *
 * @param startedAt when the run started, in milliseconds of `performance.now()`.
 * @param error the error with which the run failed; undefined if it succeeded.
 */
export type StatementTrace = (sql: string, startedAt: number, error: unknown) => void;

/**
 * The deadline and the traces that apply to a request's statements. For a batch that several requests share, the context contains the traces of all
 * these requests and no deadline.
 */
export interface StatementContext {
  readonly deadline: RequestDeadline | undefined;
  readonly traces: readonly StatementTrace[];
}

const contexts = new AsyncLocalStorage<StatementContext | undefined>();

/** Returns the context of the current request; undefined outside `runWithDeadline` and `runTraced`. */
export function findStatementContext(): StatementContext | undefined {
  return contexts.getStore();
}

/**
 * Runs a request with a deadline. After the deadline, waiting statements are not sent, and running statements are canceled. A statement that several
 * requests share is not canceled.
 *
 * @param signal aborts when the client disconnects or the deadline passes.
 */
export async function runWithDeadline<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = new RequestDeadline(signal);
  try {
    return await contexts.run({ deadline, traces: findStatementContext()?.traces ?? [] }, work);
  } finally {
    deadline.end();
  }
}

/** Runs a request, and calls `trace` after each statement of the request. */
export function runTraced<T>(trace: StatementTrace, work: () => T): T {
  return contexts.run({ deadline: findStatementContext()?.deadline, traces: [trace] }, work);
}

/** Runs work without the deadline of the current request, such as work whose result other requests also use. */
export function runWithoutDeadline<T>(work: () => T): T {
  return runWithSharedContext([findStatementContext()], work);
}

/** Runs work for several requests, without the deadline of any request and with the traces of all of them. */
export function runWithSharedContext<T>(shared: readonly (StatementContext | undefined)[], work: () => T): T {
  const traces = shared.flatMap((context) => context?.traces ?? []);
  return contexts.run(traces.length === 0 ? undefined : { deadline: undefined, traces }, work);
}
