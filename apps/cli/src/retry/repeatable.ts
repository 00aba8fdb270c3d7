import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError, createContextKey, type UnaryRequest } from "@connectrpc/connect";
import { isUnknownHost, wasLost, wasNeverSent, wasNotLookedUp } from "../unreachable.js";
import { askedDelay } from "./retry-delay.js";

/** Whether a request does nothing more if it arrives twice, although its method does not say so. It needs no id, which has a price. */
export const repeatableKey = createContextKey(false, { description: "repeatable" });

/**
 * Tells whether a request that failed so may be sent again: nothing can be done twice by it, and it may be answered then. Where the
 * server was `reached` before, one that refuses connections is being restarted; else nobody is there.
 */
export function mayBeRepeated(request: UnaryRequest, error: ConnectError, reached: boolean): boolean {
  if (wasNeverSent(error)) return wasNotLookedUp(error) || (reached && !isUnknownHost(error));
  return isRepeatable(request) && isTransient(error);
}

/** A change on the condition of an etag that was made, and whose answer was lost, would be refused as that of somebody else. */
function isRepeatable({ method, message, contextValues }: UnaryRequest): boolean {
  const { requestId, etag } = message as { readonly requestId?: string; readonly etag?: string };
  const isIdempotent = method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
  return requestId !== undefined || contextValues.get(repeatableKey) || (isIdempotent && etag === undefined);
}

/** AIP-194, and a service that has too much to do for the moment and says when to come back. */
function isTransient(error: ConnectError): boolean {
  if (error.code === Code.ResourceExhausted) return askedDelay(error) !== undefined;
  return error.code === Code.Unavailable || wasLost(error);
}
