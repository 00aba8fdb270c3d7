import { AsyncLocalStorage } from "node:async_hooks";
import { CallDeadline } from "./call-deadline.js";

/**
 * Called after each run of a statement, including runs that shared a round trip with others.
 *
 * @param startedAt the start, in milliseconds of `performance.now()`.
 * @param error the error of the statement; undefined if it succeeded.
 */
export type StatementTrace = (sql: string, startedAt: number, error: unknown) => void;

/** The deadline and traces of the statements of a call, or the traces of the calls in a batch. */
export interface StatementContext {
  readonly deadline: CallDeadline | undefined;
  readonly traces: readonly StatementTrace[];
}

const calls = new AsyncLocalStorage<StatementContext | undefined>();

/** Returns the context of the current call. */
export function currentCall(): StatementContext | undefined {
  return calls.getStore();
}

/**
 * Runs a call with a deadline. After the deadline, waiting statements are not sent, and running ones are cancelled. A statement that several calls
 * share runs to its end.
 *
 * @param signal aborts when the caller disconnects or its deadline passes.
 */
export async function runWithDeadline<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = new CallDeadline(signal);
  try {
    return await calls.run({ deadline, traces: currentCall()?.traces ?? [] }, work);
  } finally {
    deadline.end();
  }
}

/** Runs a call whose statements are traced. */
export function runTraced<T>(trace: StatementTrace, work: () => T): T {
  return calls.run({ deadline: currentCall()?.deadline, traces: [trace] }, work);
}

/** Runs work without the deadline of the current call, because other calls, or none, wait for it too. */
export function runDetached<T>(work: () => T): T {
  return runShared([currentCall()], work);
}

/** Runs work for several calls, without their deadlines and with all their traces. */
export function runShared<T>(shared: readonly (StatementContext | undefined)[], work: () => T): T {
  const traces = shared.flatMap((call) => call?.traces ?? []);
  return calls.run(traces.length === 0 ? undefined : { deadline: undefined, traces }, work);
}
