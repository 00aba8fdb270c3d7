import { setImmediate } from "node:timers/promises";
import { isCancelled, isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";
import { RequestAbandonedError } from "./request-deadline.js";
import { currentContext, runShared, type StatementContext } from "./statement-context.js";

/** Limits of batching. */
export interface BatchLimits {
  /** The maximum number of concurrent batches for a key. Later calls form the next batch. */
  readonly concurrency: number;
  /** The maximum number of calls in a batch. */
  readonly calls: number;
  /** Whether a batch waits for other calls of the same turn of the event loop. Default: false. */
  readonly gathers?: boolean;
}

interface WaitingCall<T, R> {
  readonly item: T;
  readonly context: StatementContext | undefined;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

interface CallQueue<T, R> {
  readonly waiting: WaitingCall<T, R>[];
  inProgress: number;
}

/**
 * Combines concurrent calls into batches: a statement for many calls costs little more than for one, and they share a commit. A
 * call runs immediately and alone while fewer batches than the limit are in progress, unless batches gather the calls of a turn.
 *
 * If the database rejects a batch, which changes nothing, its calls are retried one by one, so that only the calls at fault fail.
 * All calls of a batch fail if its outcome is unknown or it was cancelled. If the database is unavailable, the waiting calls fail too. Calls of
 * abandoned requests are not run.
 *
 * @param run runs several calls in one statement, and returns their results in the same order.
 * @param keyOf returns the key of a call. Only calls with equal keys share a batch. By default, all calls do.
 */
export function batchCalls<T, R>(
  run: (items: readonly T[]) => Promise<readonly R[]>,
  limits: BatchLimits,
  keyOf: (item: T) => unknown = () => undefined,
): (item: T) => Promise<R> {
  const queues = new Map<unknown, CallQueue<T, R>>();

  async function runBatch(calls: readonly WaitingCall<T, R>[], queue: CallQueue<T, R>): Promise<void> {
    try {
      const contexts = calls.map(({ context }) => context);
      const results = await runShared(contexts, () => run(calls.map(({ item }) => item)));
      calls.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      const isUnavailable = isDatabaseUnavailable(error);
      if (calls.length > 1 && !isUnavailable && !isCancelled(error))
        for (const call of calls) await runBatch([call], queue);
      else for (const { reject } of calls) reject(error);
      if (isUnavailable && !(error instanceof OutcomeUnknownError))
        for (const { reject } of queue.waiting.splice(0)) reject(error);
    }
  }

  async function work(key: unknown, queue: CallQueue<T, R>): Promise<void> {
    queue.inProgress++;
    while (queue.waiting.length > 0) {
      if (limits.gathers === true) await setImmediate();
      const calls = queue.waiting.splice(0, limits.calls).filter(isWanted);
      if (calls.length > 0) await runBatch(calls, queue);
    }
    queue.inProgress--;
    if (queue.inProgress === 0) queues.delete(key);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item);
      const queue = queues.get(key) ?? { waiting: [], inProgress: 0 };
      queues.set(key, queue);
      queue.waiting.push({ item, context: currentContext(), resolve, reject });
      if (queue.inProgress < limits.concurrency) void work(key, queue);
    });
}

function isWanted({ context, reject }: Pick<WaitingCall<unknown, unknown>, "context" | "reject">): boolean {
  if (context?.deadline?.isAbandoned !== true) return true;
  reject(new RequestAbandonedError());
  return false;
}
