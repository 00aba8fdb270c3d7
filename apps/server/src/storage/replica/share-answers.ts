import { runForAll } from "../waited-call.js";

/**
 * Lets those that ask the same question share an answer. It is never older than the question: while one is being answered,
 * those that come meanwhile share the next.
 */
export function shareAnswers<T>(ask: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;

  function askNow(): Promise<T> {
    const answer = runForAll(ask).finally(() => {
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
