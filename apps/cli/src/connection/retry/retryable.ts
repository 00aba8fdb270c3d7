import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError, createContextKey, type UnaryRequest } from "@connectrpc/connect";
import { causeCodes, isConnectionLost, isNeverSent } from "../unreachable.js";
import { requestedDelayMs } from "./retry-delay.js";

/**
 * The context key that marks a request as idempotent although its method is not. It saves the request id, which would cost the service extra
 * work.
 */
export const idempotentKey = createContextKey(false, { description: "idempotent" });

/**
 * Reports whether a failed request can be retried: the retry must be safe and may succeed.
 *
 * @param reached whether the server has responded before. If so, a refused connection means that it restarts, otherwise that it does not run.
 */
export function isRetryable(request: UnaryRequest, error: ConnectError, reached: boolean): boolean {
  return isTemporary(error, reached) && (isNeverSent(error) || isIdempotentRequest(request));
}

/** Reports whether a retry may succeed, whether or not it is safe; see {@link isRetryable}. */
export function isTemporary(error: ConnectError, reached: boolean): boolean {
  if (!isNeverSent(error)) return isTransient(error);
  const codes = causeCodes(error);
  return codes.includes("EAI_AGAIN") || (reached && !codes.includes("ENOTFOUND"));
}

/**
 * Reports whether a repetition has no further effect. An update with an etag does not count as idempotent: if the first attempt succeeded and
 * its response was lost, the retry would report a conflict.
 */
function isIdempotentRequest({ method, message, contextValues }: UnaryRequest): boolean {
  const { requestId, etag } = message as { readonly requestId?: string; readonly etag?: string };
  const isIdempotent = method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  return requestId !== undefined || contextValues.get(idempotentKey) || (isIdempotent && etag === undefined);
}

/** Accepts the errors that AIP-194 allows clients to retry, and overload errors with a retry delay. */
function isTransient(error: ConnectError): boolean {
  if (error.code === Code.ResourceExhausted) return requestedDelayMs(error) !== undefined;
  return error.code === Code.Unavailable || isConnectionLost(error);
}
