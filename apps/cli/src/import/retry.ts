import { setTimeout as sleep } from "node:timers/promises";

/** The pauses before each further try, in milliseconds: a service that restarts is back within them. */
const pausesMs = [200, 400, 800, 1600];

/** Calls until it succeeds, fails with what must not be tried again, or was tried five times. Aborting ends the pauses. */
export async function retry<Result>(
  call: () => Promise<Result>,
  mayRetry: (error: unknown) => boolean,
  signal: AbortSignal,
): Promise<Result> {
  for (const pauseMs of pausesMs) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !mayRetry(error)) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
  return await call();
}
