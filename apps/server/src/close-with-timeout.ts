import type { Logger } from "pino";

/**
 * Closes a resource of a stopping process. After `limitMs`, it logs a warning and stops waiting, because the exit of the process closes
 * the resource too.
 *
 * @param what the name of the resource in the log, such as `the database`.
 * @throws the error with which `close` rejects.
 */
export async function closeWithTimeout(
  what: string,
  limitMs: number,
  log: Logger,
  close: () => Promise<void> | undefined,
): Promise<void> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    log.warn(`${what} did not stop in time`);
    resolve();
  }, limitMs);
  try {
    await Promise.race([close(), isLate]);
  } finally {
    clearTimeout(timer);
  }
}
