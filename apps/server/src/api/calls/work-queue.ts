/** Runs work when its turn comes. Resolves to the result of the work. */
export type WorkQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a queue that runs at most `concurrency` pieces of work at a time, in the order in which they were added. */
export function createWorkQueue(concurrency: number): WorkQueue {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < concurrency) running++;
    // Work that ends hands its place to the next work, so `running` stays the same.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
