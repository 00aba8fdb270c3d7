/** How long a result is cached. It bounds how often health checks ping the database. */
const CACHE_MS = 100;

/**
 * Creates the readiness check. The server is ready if its database responds and the server is not shutting down. The result is
 * cached, because health checks need no authentication.
 *
 * @param ping rejects if the database does not respond.
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
    if (now - askedAt >= CACHE_MS) [askedAt, answer] = [now, ask()];
    return (await answer) && !shutdown.aborted;
  };
}
