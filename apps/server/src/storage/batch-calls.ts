import { activeSpans, runOnBehalf } from "../observability/tracing/active-spans.js";
import { isCancelled, isDatabaseUnavailable } from "./postgres-error.js";
import { CallAbandonedError, currentCall, runForAll, type WaitedCall } from "./waited-call.js";

/** How calls are put together. */
export interface BatchSize {
  /** The most batches of a key under way at a time; calls that come meanwhile wait for each other's company. */
  readonly concurrency: number;
  /** The most calls in a batch. */
  readonly calls: number;
}

interface WaitingCall<T, R> {
  readonly item: T;
  readonly call: WaitedCall | undefined;
  /** See `activeSpans`: the batch runs on behalf of all of its calls, and not of the one that came first. */
  readonly spans: ReturnType<typeof activeSpans.getStore>;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

/** The calls of one key. */
interface CallQueue<T, R> {
  readonly waiting: WaitingCall<T, R>[];
  underWay: number;
}

/**
 * Lets calls that meet run as one: a statement for many costs little more than a statement for one, and they share one
 * commit. A call that meets no others runs at once, by itself. When the database refuses a batch, which changes nothing then,
 * its calls run again one by one, so that none fails by another's fault; when it is not known what became of a batch, or it took
 * too long, all of its calls fail. What nobody waits for any more when its turn comes is not run.
 *
 * @param run does the work of many calls in one statement, and gives their results in the same order.
 * @param keyOf only calls of one key run together; by default, all do.
 */
export function batchCalls<T, R>(
  run: (items: readonly T[]) => Promise<readonly R[]>,
  size: BatchSize,
  keyOf: (item: T) => unknown = () => undefined,
): (item: T) => Promise<R> {
  const queues = new Map<unknown, CallQueue<T, R>>();

  async function runBatch(calls: readonly WaitingCall<T, R>[]): Promise<void> {
    try {
      const spans = calls.map((call) => call.spans);
      const results = await runOnBehalf(spans, () => run(calls.map(({ item }) => item)));
      calls.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      if (calls.length > 1 && !isDatabaseUnavailable(error) && !isCancelled(error))
        for (const call of calls) await runBatch([call]);
      else for (const { reject } of calls) reject(error);
    }
  }

  async function work(key: unknown, queue: CallQueue<T, R>): Promise<void> {
    queue.underWay++;
    while (queue.waiting.length > 0) {
      const calls = queue.waiting.splice(0, size.calls).filter(isWanted);
      if (calls.length > 0) await runBatch(calls);
    }
    queue.underWay--;
    if (queue.underWay === 0) queues.delete(key);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const key = keyOf(item);
      const queue = queues.get(key) ?? { waiting: [], underWay: 0 };
      queues.set(key, queue);
      queue.waiting.push({ item, call: currentCall(), spans: activeSpans.getStore(), resolve, reject });
      if (queue.underWay < size.concurrency) void runForAll(() => work(key, queue));
    });
}

function isWanted({ call, reject }: Pick<WaitingCall<unknown, unknown>, "call" | "reject">): boolean {
  if (call?.isAbandoned !== true) return true;
  reject(new CallAbandonedError());
  return false;
}
