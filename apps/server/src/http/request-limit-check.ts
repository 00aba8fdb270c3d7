import { Code } from "@connectrpc/connect";
import type { Config } from "../config/config.js";
import { createHttpError, HTTP_ERRORS_BY_REASON } from "../errors/http-errors.js";
import type { PrebuiltError } from "../errors/prebuilt-error.js";
import type { RequestState } from "../observability/requests/request-state.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";
import { isEventWatchMethod } from "./endless-streams.js";
import type { LimitMetrics } from "./limits/limit-metrics.js";
import type { StreamLimit } from "./limits/stream-limit.js";

/**
 * Creates a function that checks the head of a routed request. It returns an error if the URL is too long, or if the limit on concurrent
 * requests or on open streams is reached. It returns undefined if the request may proceed.
 */
export function createRequestLimitCheck(
  { maxUrlBytes }: Pick<Config["limits"], "maxUrlBytes">,
  concurrency: ConcurrencyLimit,
  streams: StreamLimit,
  metrics: LimitMetrics,
): (state: RequestState) => PrebuiltError | undefined {
  const urlTooLarge = createHttpError(
    414,
    Code.InvalidArgument,
    "URL_TOO_LARGE",
    `the URL must be at most ${maxUrlBytes} bytes`,
  );
  return (state) => {
    const { request, route } = state;
    if (request.target.length > maxUrlBytes) {
      metrics.refuseRequest("URL_TOO_LARGE");
      return urlTooLarge;
    }
    const stream = route?.rpc?.methodKind === "unary" ? undefined : route?.rpc;
    request.isOpenEnded = stream !== undefined && stream.methodKind !== "server_streaming";
    if (stream === undefined || streams.take(state, stream)) {
      if (isExemptFromConcurrencyLimit(state)) return undefined;
      const isWaiting = request.hasBody && !request.isOpenEnded;
      if (isWaiting ? !concurrency.isFull : concurrency.take(state)) return undefined;
    }
    metrics.refuseRequest("OVERLOADED");
    return HTTP_ERRORS_BY_REASON.OVERLOADED;
  };
}

/**
 * Whether an overloaded server still serves a request. Webhooks are exempt because phones would not ring if their phone system got an
 * error. Webhook requests are small and answered within a second. Event watchers have a separate limit.
 */
export function isExemptFromConcurrencyLimit({ route }: RequestState): boolean {
  return route?.kind === "health" || route?.kind === "webhook" || isEventWatchMethod(route?.rpc);
}
