import { isDatabaseUnavailable } from "./postgres-error.js";

/** How calls are put together. */
export interface BatchSize {
  /** The most batches under way at a time; calls that come meanwhile wait for each other's company. */
  readonly concurrency: number;
  /** The most calls in a batch. */
  readonly calls: number;
}

interface WaitingCall<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets calls that meet run as one: a statement for many costs little more than a statement for one, and they share one
 * commit. A call that meets no others runs at once, by itself. When the database refuses a batch, which changes nothing then,
 * its calls run again one by one, so that none fails by another's fault; when it is not known what became of a batch, all of
 * its calls fail.
 *
 * @param run does the work of many calls in one statement, and gives their results in the same order.
 */
export function batchCalls<T, R>(
  run: (items: readonly T[]) => Promise<readonly R[]>,
  size: BatchSize,
): (item: T) => Promise<R> {
  const waiting: WaitingCall<T, R>[] = [];
  let underWay = 0;

  async function runBatch(calls: readonly WaitingCall<T, R>[]): Promise<void> {
    try {
      const results = await run(calls.map(({ item }) => item));
      calls.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      if (calls.length > 1 && !isDatabaseUnavailable(error)) for (const call of calls) await runBatch([call]);
      else for (const { reject } of calls) reject(error);
    }
  }

  async function work(): Promise<void> {
    underWay++;
    while (waiting.length > 0) await runBatch(waiting.splice(0, size.calls));
    underWay--;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (underWay < size.concurrency) void work();
    });
}
