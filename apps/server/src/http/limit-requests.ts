import { API } from "@calltrack/domain";
import { Code } from "@connectrpc/connect";
import { createHttpError, HTTP_ERRORS } from "../errors/http-errors.js";
import type { PrebuiltError } from "../errors/prebuilt-error.js";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import type { RequestRecord } from "../observability/requests/request-record.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";
import type { LimitMetrics } from "./limits/limit-metrics.js";

/** The paths of health checks. */
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
export function createRequestLimits(
  maxUrlBytes: number,
  concurrency: ConcurrencyLimit,
  metrics: LimitMetrics,
): (record: RequestRecord) => PrebuiltError | undefined {
  const urlTooLarge = createHttpError(
    414,
    Code.InvalidArgument,
    "URL_TOO_LARGE",
    `the URL must be at most ${maxUrlBytes} bytes`,
  );
  return (record) => {
    const { request } = record;
    const { target } = request;
    if (target.length > maxUrlBytes) {
      metrics.refuseRequest("URL_TOO_LARGE");
      return urlTooLarge;
    }
    if (isAlwaysAnswered(target)) return undefined;
    if (request.hasBody) request.isOpenEnded = OPEN_ENDED.has(target);
    const isWaiting = request.hasBody && !request.isOpenEnded;
    if (isWaiting ? !concurrency.isFull : concurrency.take(record)) return undefined;
    metrics.refuseRequest("OVERLOADED");
    return HTTP_ERRORS.OVERLOADED;
  };
}

/** Whether a request is a health check, which an overloaded server answers too. */
export function isAlwaysAnswered(target: string): boolean {
  return ALWAYS_ANSWERED.test(target);
}
