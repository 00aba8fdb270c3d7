import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError, createContextKey, type UnaryRequest } from "@connectrpc/connect";
import { isConnectionLostError, isRequestNotSentError, listCauseCodes } from "../unreachable-error.js";
import { findServiceRetryDelayMs } from "./retry-delay.js";

/**
 * The context key that marks a request as idempotent although its method is not. The request then gets no generated request id,
 * which would cost the service extra work.
 */
export const idempotentContextKey = createContextKey(false, { description: "idempotent" });

/**
 * Reports whether a retry of a failed request is safe and may succeed.
 *
 * @param reached whether the server has responded before: if so, a refused connection means that it is restarting, otherwise that it is down.
 */
export function isRetryable(request: UnaryRequest, error: ConnectError, reached: boolean): boolean {
  return isTemporaryError(error, reached) && (isRequestNotSentError(error) || isIdempotentRequest(request));
}

/** Reports whether a retry may succeed, even if it is not safe. `reached` is explained in {@link isRetryable}. */
export function isTemporaryError(error: ConnectError, reached: boolean): boolean {
  if (!isRequestNotSentError(error)) return isTransient(error);
  const codes = listCauseCodes(error);
  return codes.includes("EAI_AGAIN") || (reached && !codes.includes("ENOTFOUND"));
}

/**
 * Reports whether a repeated request has no further effect. An update with an etag does not count as idempotent: if the first attempt succeeded and
 * its response was lost, the retry would report a conflict.
 */
function isIdempotentRequest({ method, message, contextValues }: UnaryRequest): boolean {
  const { requestId, etag } = message as { readonly requestId?: string; readonly etag?: string };
  const isIdempotent = method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  return requestId !== undefined || contextValues.get(idempotentContextKey) || (isIdempotent && etag === undefined);
}

/** Accepts the errors that AIP-194 allows clients to retry, and overload errors with a retry delay. */
function isTransient(error: ConnectError): boolean {
  if (error.code === Code.ResourceExhausted) return findServiceRetryDelayMs(error) !== undefined;
  return error.code === Code.Unavailable || isConnectionLostError(error);
}
