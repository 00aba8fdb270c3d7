/**
 * Coalesces concurrent calls of a function. Calls during a run share the next run, so that no result is older than its call.
 */
export function coalesce<T>(ask: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function askNow(): Promise<T> {
    const answer = ask().finally(() => {
      current = undefined;
    });
    current = answer;
    return answer;
  }

  async function askAfter(before: Promise<T>): Promise<T> {
    await before.catch(() => {});
    next = undefined;
    return askNow();
  }

  return () => {
    if (current === undefined) return askNow();
    next ??= askAfter(current);
    return next;
  };
}
