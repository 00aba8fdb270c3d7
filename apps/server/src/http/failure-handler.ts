import { Code, ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import { INTERNAL_ERROR } from "../errors/http-errors.js";
import { createRequestLogFields } from "../observability/requests/request-log.js";
import { findRequestState } from "../observability/requests/request-state.js";
import type { RequestHandler } from "./request-handler.js";

/**
 * Creates the function that ends a request whose handler threw an error. It logs the error and sends the response `INTERNAL`, or aborts
 * the request if its response has already begun.
 */
export function createFailureHandler(log: Logger): RequestHandler["fail"] {
  return (request, error) => {
    const state = findRequestState(request.contextValues);
    if (state !== undefined) state.failure ??= Code.Internal;
    // `translateRequestError` has already logged the cause of a ConnectError.
    if (!(error instanceof ConnectError))
      log.error({ ...createRequestLogFields(state), err: error }, "a request failed");
    if (request.isOver) return;
    if (request.hasResponded) request.abort();
    else INTERNAL_ERROR.answer(request);
  };
}
