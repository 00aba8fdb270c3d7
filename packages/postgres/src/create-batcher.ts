import { setImmediate } from "node:timers/promises";
import { isCanceledError, isDatabaseUnavailable, OutcomeUnknownError } from "./postgres-error.js";
import { RequestAbandonedError } from "./request-deadline.js";
import { findStatementContext, runWithSharedContext, type StatementContext } from "./statement-context.js";

export interface BatchLimits {
  /** The maximum number of concurrent batches for a key. Items that arrive while these batches run wait for the next one. */
  readonly concurrency: number;
  /** The maximum number of items in a batch. */
  readonly size: number;
  /** Whether a batch also collects the items that arrive in the same turn of the event loop as its first item. Default: false. */
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
 * Creates a function that processes concurrent items in batches, because one statement for many items costs little more than a statement for
 * one item. While fewer batches than `concurrency` are in progress, an item is processed immediately and alone, unless `gathers` is set.
 *
 * A batch that the database rejects changes nothing. Its items are then retried one by one, so that only the invalid items fail. If a batch is
 * canceled or its outcome is unknown, all its items fail. If the database is unavailable, the waiting items fail too. Items from abandoned
 * requests are not processed.
 *
 * @param run processes several items in one statement, and returns the results in the order of the items.
 * @param keyOf returns the key of an item. Only items with equal keys share a batch. By default, any items can share a batch.
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
      const results = await runWithSharedContext(contexts, () => run(batch.map(({ item }) => item)));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      const isUnavailable = isDatabaseUnavailable(error);
      if (batch.length > 1 && !isUnavailable && !isCanceledError(error))
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
      queue.waiting.push({ item, context: findStatementContext(), resolve, reject });
      if (queue.inProgress < limits.concurrency) void work(key, queue);
    });
}

function isWanted({ context, reject }: Pick<WaitingItem<unknown, unknown>, "context" | "reject">): boolean {
  if (context?.deadline?.isAbandoned !== true) return true;
  reject(new RequestAbandonedError());
  return false;
}
