import { setImmediate } from "node:timers/promises";
import { isCancelled, isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";
import { RequestAbandonedError } from "./request-deadline.js";
import { currentContext, runShared, type StatementContext } from "./statement-context.js";

/** Limits of batching. */
export interface BatchLimits {
  /** The maximum number of concurrent batches for a key. Later items form the next batch. */
  readonly concurrency: number;
  /** The maximum number of items in a batch. */
  readonly size: number;
  /** Whether a batch waits for other items of the same turn of the event loop. Default: false. */
  readonly gathers?: boolean;
}

interface WaitingItem<T, R> {
  readonly item: T;
  readonly context: StatementContext | undefined;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

interface ItemQueue<T, R> {
  readonly waiting: WaitingItem<T, R>[];
  inProgress: number;
}

/**
 * Creates a function that processes an item in a batch with concurrent ones: a statement for many items costs little more than for one,
 * and they share a commit. An item is processed immediately and alone while fewer batches than the limit are in progress, unless batches
 * gather the items of a turn.
 *
 * If the database rejects a batch, which changes nothing, its items are retried one by one, so that only the items at fault fail.
 * All items of a batch fail if its outcome is unknown or it was cancelled. If the database is unavailable, the waiting items fail too. Items of
 * abandoned requests are not processed.
 *
 * @param run processes several items in one statement, and returns their results in the same order.
 * @param keyOf returns the key of an item. Only items with equal keys share a batch. By default, all items do.
 */
export function createBatcher<T, R>(
  run: (items: readonly T[]) => Promise<readonly R[]>,
  limits: BatchLimits,
  keyOf: (item: T) => unknown = () => undefined,
): (item: T) => Promise<R> {
  const queues = new Map<unknown, ItemQueue<T, R>>();

  async function runBatch(batch: readonly WaitingItem<T, R>[], queue: ItemQueue<T, R>): Promise<void> {
    try {
      const contexts = batch.map(({ context }) => context);
      const results = await runShared(contexts, () => run(batch.map(({ item }) => item)));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      const isUnavailable = isDatabaseUnavailable(error);
      if (batch.length > 1 && !isUnavailable && !isCancelled(error))
        for (const each of batch) await runBatch([each], queue);
      else for (const { reject } of batch) reject(error);
      if (isUnavailable && !(error instanceof OutcomeUnknownError))
        for (const { reject } of queue.waiting.splice(0)) reject(error);
    }
  }

  async function work(key: unknown, queue: ItemQueue<T, R>): Promise<void> {
    queue.inProgress++;
    while (queue.waiting.length > 0) {
      if (limits.gathers === true) await setImmediate();
      const batch = queue.waiting.splice(0, limits.size).filter(isWanted);
      if (batch.length > 0) await runBatch(batch, queue);
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

function isWanted({ context, reject }: Pick<WaitingItem<unknown, unknown>, "context" | "reject">): boolean {
  if (context?.deadline?.isAbandoned !== true) return true;
  reject(new RequestAbandonedError());
  return false;
}
