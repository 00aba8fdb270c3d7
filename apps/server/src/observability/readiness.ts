import { setTimeout as pause } from "node:timers/promises";

/** How long a result is cached. It bounds how often health checks ping the database. */
const CACHE_MS = 100;

/** A database that takes longer than this counts as unavailable. Health checks often time out after 2 s. */
const MAX_PING_MS = 1500;

/**
 * Creates the readiness check. The server is ready if its database responds in time and the server is not shutting down. The result
 * is cached, because health checks need no authentication.
 *
 * @param ping rejects if the database does not respond.
 */
export function createReadiness(ping: () => Promise<void>, shutdown: AbortSignal): () => Promise<boolean> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let isPinging = false;
  let answer: Promise<boolean> = Promise.resolve(false);
  const ask = async () => {
    isPinging = true;
    try {
      await ping();
      return true;
    } catch {
      return false;
    } finally {
      isPinging = false;
    }
  };
  return async () => {
    const now = performance.now();
    // No ping starts before the last one has ended, so that a hanging database is not flooded.
    if (!isPinging && now - askedAt >= CACHE_MS) {
      askedAt = now;
      answer = Promise.race([ask(), pause(MAX_PING_MS, false, { ref: false })]);
    }
    return (await answer) && !shutdown.aborted;
  };
}
