interface OrderedWork<Item, Result> {
  /** Items with the same key are processed one after the other. */
  readonly keyOf: (item: Item) => string;
  /** Processes one item. Must not reject. */
  readonly run: (item: Item) => Promise<Result>;
  /** Maximum number of items that are processed at the same time. */
  readonly concurrency: number;
  /** After this signal aborts, no further item is started. */
  readonly stop: AbortSignal;
}

/** Maximum number of items that are read in advance. They wait for a free slot, or for the end of an earlier item with the same key. */
const MAX_WAITING = 100;

/**
 * Processes the items of a stream concurrently, but items with the same key in order. Yields results as they become available. Throws an error
 * of the stream only after the results of all earlier items.
 */
export async function* runInOrderByKey<Item, Result extends object>(
  items: AsyncIterator<Item>,
  { keyOf, run, concurrency, stop }: OrderedWork<Item, Result>,
): AsyncGenerator<Result, void> {
  const running = new Map<string, Promise<void>>();
  let waiting: Item[] = [];
  const results: Result[] = [];
  let isEnd = false;
  const errors: unknown[] = [];
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const next = await items.next();
      if (next.done) isEnd = true;
      else waiting.push(next.value);
    } catch (error) {
      errors.push(error);
      isEnd = true;
    }
    reading = undefined;
  }

  async function work(key: string, item: Item): Promise<void> {
    results.push(await run(item));
    running.delete(key);
  }

  function start(): void {
    waiting = waiting.filter((item) => {
      const key = keyOf(item);
      if (running.size >= concurrency || running.has(key)) return true;
      running.set(key, work(key, item));
      return false;
    });
  }

  for (;;) {
    for (let result = results.shift(); result !== undefined; result = results.shift()) yield result;
    if (stop.aborted) waiting = [];
    start();
    if (!isEnd && waiting.length < MAX_WAITING) reading ??= read();
    const pending = [...running.values(), ...(reading === undefined ? [] : [reading])];
    if (pending.length === 0) break;
    await Promise.race(pending);
  }
  if (errors.length > 0) throw errors[0];
}
