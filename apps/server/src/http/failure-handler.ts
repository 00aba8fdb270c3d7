import { Code, ConnectError } from "@connectrpc/connect";
import type { Logger } from "pino";
import { INTERNAL } from "../errors/http-errors.js";
import { requestFields } from "../observability/requests/request-log.js";
import { requestStateOf } from "../observability/requests/request-state.js";
import type { RequestHandler } from "./request-handler.js";

/**
 * Creates the function that ends a request whose handler threw: with INTERNAL or, if its response has begun, by aborting it. Other requests
 * continue. Logs one line.
 */
export function createFailureHandler(log: Logger): RequestHandler["fail"] {
  return (request, error) => {
    const state = requestStateOf(request.contextValues);
    if (state !== undefined) state.failure ??= Code.Internal;
    // `wireErrorOf` has logged the cause of a ConnectError.
    if (!(error instanceof ConnectError)) log.error({ ...requestFields(state), err: error }, "a request failed");
    if (request.isOver) return;
    if (request.hasResponded) request.abort();
    else INTERNAL.answer(request);
  };
}
