import { AsyncLocalStorage } from "node:async_hooks";
import { CallDeadline } from "./call-deadline.js";

/**
 * Called after each run of a statement, also of one that shared its trip to the server with others.
 *
 * @param startedAt in the time of `performance.now()`.
 * @param error what the statement failed with, if it did.
 */
export type StatementTrace = (sql: string, startedAt: number, error: unknown) => void;

/** What statements run for: a call, or the calls that share a batch. Undefined stands for a call with no deadline and no trace. */
export interface CallContext {
  readonly deadline: CallDeadline | undefined;
  readonly traces: readonly StatementTrace[];
}

const calls = new AsyncLocalStorage<CallContext | undefined>();

/** The context of the current call. */
export function currentCall(): CallContext | undefined {
  return calls.getStore();
}

/**
 * Runs a call that has a deadline. Once it passes, statements that wait for their turn are not sent, and those that have a
 * connection to themselves are cancelled; one that shares its connection runs to its end.
 *
 * @param signal aborts when the caller gives up.
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

/** Runs work that other calls, or none, wait for too, without the deadline of the current call. */
export function runDetached<T>(work: () => T): T {
  const call = currentCall();
  return call === undefined ? work() : calls.run(withoutDeadline([call]), work);
}

/** Runs work for several calls: without their deadlines, and traced by all of them. */
export function runShared<T>(shared: readonly (CallContext | undefined)[], work: () => T): T {
  return calls.run(withoutDeadline(shared), work);
}

function withoutDeadline(shared: readonly (CallContext | undefined)[]): CallContext | undefined {
  const traces = shared.flatMap((call) => call?.traces ?? []);
  return traces.length === 0 ? undefined : { deadline: undefined, traces };
}
