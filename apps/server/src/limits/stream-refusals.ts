import type { StreamRefuser } from "@calltrack/http2";
import { Code } from "@connectrpc/connect";
import { createHttpError, HEADERS_TOO_LARGE, REQUEST_TIMEOUT } from "../http-refusal.js";
import type { LimitMetrics } from "../metrics/limit-metrics.js";
import { EarlyRefusal } from "./early-refusal.js";

const headersTooLarge = new EarlyRefusal(
  createHttpError(Code.InvalidArgument, "HEADERS_TOO_LARGE", HEADERS_TOO_LARGE),
  431,
);

const requestTimeout = new EarlyRefusal(
  createHttpError(Code.DeadlineExceeded, "REQUEST_TIMEOUT", REQUEST_TIMEOUT),
  408,
);

/** Creates what refuses streams of HTTP/2 as requests of HTTP/1.1 are. */
export function createStreamRefuser(metrics: LimitMetrics): StreamRefuser {
  return (stream, reason) => {
    metrics.refuseRequest(reason === "headers" ? "HEADERS_TOO_LARGE" : "REQUEST_TIMEOUT");
    (reason === "headers" ? headersTooLarge : requestTimeout).answerStream(stream);
  };
}
