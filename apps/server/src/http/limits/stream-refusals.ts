import type { StreamRefusal, StreamRefuser } from "@calltrack/http2";
import { Code } from "@connectrpc/connect";
import { EarlyRefusal } from "../../errors/early-refusal.js";
import { createHttpError, HEADERS_TOO_LARGE, HOST_MALFORMED, REQUEST_TIMEOUT } from "../../errors/http-refusal.js";
import type { LimitMetrics, RefusalReason } from "../../observability/metrics/limit-metrics.js";

const REFUSALS: Readonly<Record<StreamRefusal, { readonly reason: RefusalReason; readonly answer: EarlyRefusal }>> = {
  headers: refusal(431, Code.InvalidArgument, "HEADERS_TOO_LARGE", HEADERS_TOO_LARGE),
  host: refusal(400, Code.InvalidArgument, "HOST_MALFORMED", HOST_MALFORMED),
  body: refusal(408, Code.DeadlineExceeded, "REQUEST_TIMEOUT", REQUEST_TIMEOUT),
};

/** Creates what refuses streams of HTTP/2 as requests of HTTP/1.1 are. */
export function createStreamRefuser(metrics: LimitMetrics): StreamRefuser {
  return (stream, cause) => {
    const { reason, answer } = REFUSALS[cause];
    metrics.refuseRequest(reason);
    answer.answerStream(stream);
  };
}

function refusal(httpStatus: number, code: Code, reason: RefusalReason, message: string) {
  return { reason, answer: new EarlyRefusal(createHttpError(code, reason, message), httpStatus) };
}
