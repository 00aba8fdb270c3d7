/** Runs work as soon as its turn comes. Resolves to the result of the work. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits how many works run concurrently. Further works wait, first in, first out. */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < max) running++;
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
