/** How old an answer may be: however many ask, the database is not asked more often. */
const HELD_MS = 100;

/**
 * Whether the server is ready: whether its database answers. Anybody may ask, over as many connections as there may be.
 *
 * @param ping rejects if the database does not answer.
 */
export function createReadiness(ping: () => Promise<void>, shutdown: AbortSignal): () => Promise<boolean> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<boolean> = Promise.resolve(false);
  const ask = () =>
    ping().then(
      () => true,
      () => false,
    );
  return async () => {
    const now = performance.now();
    if (now - askedAt >= HELD_MS) [askedAt, answer] = [now, ask()];
    return (await answer) && !shutdown.aborted;
  };
}
