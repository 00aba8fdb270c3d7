import { setTimeout as sleep } from "node:timers/promises";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { codeName } from "../request-log.js";
import { wasNeverSent } from "../unreachable.js";
import { mayBeRepeated } from "./repeatable.js";
import { retryDelay } from "./retry-delay.js";
import { lastFailureKey } from "./wait-notice.js";

/** How often requests are sent again. */
export interface RetryOptions {
  /** The most further tries of one request. */
  readonly retries: number;
  /** How long one request may take with all its tries, in milliseconds. */
  readonly timeout: number;
}

/**
 * Sends requests again that failed, where that is safe and may help. What the last try threw is thrown where no further one is
 * allowed, or where it could not begin before the deadline.
 *
 * @param report is told of each further try, in a line.
 */
export function createRetry({ retries, timeout }: RetryOptions, report: (line: string) => void): Interceptor {
  let reached = false;
  return (next) => async (request) => {
    if (request.stream) return await next(request);
    const deadline = performance.now() + timeout;
    for (let tries = 1; ; tries++) {
      try {
        const response = await next(request);
        reached = true;
        return response;
      } catch (thrown) {
        const error = ConnectError.from(thrown);
        reached ||= !wasNeverSent(error);
        const delayMs = retryDelay(error, tries);
        if (tries > retries || request.signal.aborted || !mayBeRepeated(request, error, reached)) throw thrown;
        if (performance.now() + delayMs >= deadline) throw thrown;
        request.contextValues.set(lastFailureKey, error);
        const { parent, name } = request.method;
        const outcome = `${parent.typeName}/${name} ${codeName(error.code)}`;
        report(`${outcome}: try ${tries + 1} of ${retries + 1} in ${Math.round(delayMs)} ms\n`);
        await sleep(delayMs, undefined, { signal: request.signal }).catch(() => Promise.reject(thrown));
      }
    }
  };
}
