import { setTimeout as pause } from "node:timers/promises";

/** How long the result of a ping is cached. This limits how often health checks ping the database. */
const CACHE_MS = 100;

/** A database that takes longer to respond counts as unavailable. Load balancers often wait 2 s for a health check. */
const MAX_PING_MS = 1500;

/**
 * Creates a function that checks whether the server is ready: the database responds in time, and the server is not shutting down. The result is
 * cached, because anyone can send health checks.
 *
 * @param ping rejects if the database does not respond.
 */
export function createReadinessCheck(ping: () => Promise<void>, shutdown: AbortSignal): () => Promise<boolean> {
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
    // Pings run one after the other, so that an unresponsive database is not flooded.
    if (!isPinging && now - askedAt >= CACHE_MS) {
      askedAt = now;
      answer = Promise.race([ask(), pause(MAX_PING_MS, false, { ref: false })]);
    }
    return (await answer) && !shutdown.aborted;
  };
}
