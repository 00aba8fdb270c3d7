import { API } from "@calltrack/domain";
import type { Exchange } from "@calltrack/http";
import { Code } from "@connectrpc/connect";
import { createHttpError, HTTP_ERRORS } from "../errors/http-errors.js";
import type { PrebuiltError } from "../errors/prebuilt-error.js";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import type { LimitMetrics } from "../observability/metrics/limit-metrics.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";

/** The paths of health checks, which an overloaded server answers too. */
const ALWAYS_ANSWERED = /^\/(?:healthz|readyz|grpc\.health\.v1\.Health\/\w+)(?:$|\?)/;

/** The procedures whose request is a stream of messages, which may pause without limit. */
const OPEN_ENDED: ReadonlySet<string> = new Set(
  [...API, ...INFRASTRUCTURE_SERVICES].flatMap(({ typeName, methods }) =>
    methods
      .filter(({ methodKind }) => methodKind === "client_streaming" || methodKind === "bidi_streaming")
      .map(({ name }) => `/${typeName}/${name}`),
  ),
);

/**
 * Creates a function that checks the head of a request. It returns the error if the URL is too long or the concurrency limit is
 * reached, and undefined otherwise.
 */
export function createExchangeLimits(
  maxUrlBytes: number,
  calls: ConcurrencyLimit,
  metrics: LimitMetrics,
): (exchange: Exchange) => PrebuiltError | undefined {
  const urlTooLarge = createHttpError(
    414,
    Code.InvalidArgument,
    "URL_TOO_LARGE",
    `the URL must be at most ${maxUrlBytes} bytes`,
  );
  return (exchange) => {
    const { target } = exchange;
    if (target.length > maxUrlBytes) {
      metrics.refuseRequest("URL_TOO_LARGE");
      return urlTooLarge;
    }
    if (calls.isFull && !ALWAYS_ANSWERED.test(target)) {
      metrics.refuseRequest("OVERLOADED");
      return HTTP_ERRORS.OVERLOADED;
    }
    calls.noteArrival();
    if (exchange.body === undefined) exchange.isOpenEnded = OPEN_ENDED.has(target);
    return undefined;
  };
}
