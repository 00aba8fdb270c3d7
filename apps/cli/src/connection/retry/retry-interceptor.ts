import { setTimeout as sleep } from "node:timers/promises";
import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { formatGrpcStatusCode } from "../request-log-interceptor.js";
import { isRequestNotSentError } from "../unreachable-error.js";
import { computeRetryDelayMs } from "./retry-delay.js";
import { isRetryable } from "./retryable.js";
import { lastFailureContextKey } from "./wait-notice-interceptor.js";

export interface RetryOptions {
  /** Maximum number of retries per request. */
  readonly retries: number;
  /** Time limit for a request including its retries, in milliseconds. */
  readonly timeout: number;
}

/**
 * Creates an interceptor that retries a failed request if a retry is safe and may succeed. The interceptor throws the last error if no
 * retry is allowed, or if the next retry could not start before the deadline.
 *
 * @param report called with a log line for each retry.
 */
export function createRetryInterceptor(
  { retries, timeout }: RetryOptions,
  report: (line: string) => void,
): Interceptor {
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
        reached ||= !isRequestNotSentError(error);
        const delayMs = computeRetryDelayMs(error, tries);
        if (tries > retries || request.signal.aborted || !isRetryable(request, error, reached)) throw thrown;
        if (performance.now() + delayMs >= deadline) throw thrown;
        request.contextValues.set(lastFailureContextKey, error);
        const { parent, name } = request.method;
        const outcome = `${parent.typeName}/${name} ${formatGrpcStatusCode(error.code)}`;
        report(`${outcome}: attempt ${tries + 1} of ${retries + 1} in ${Math.round(delayMs)} ms\n`);
        await sleep(delayMs, undefined, { signal: request.signal }).catch(() => Promise.reject(thrown));
      }
    }
  };
}
