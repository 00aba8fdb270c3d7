import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError, createContextKey, type UnaryRequest } from "@connectrpc/connect";
import { isUnknownHost, wasLost, wasNeverSent } from "../unreachable.js";
import { requestIdOf } from "./request-id.js";
import { askedDelay } from "./retry-delay.js";

/** Whether it does nothing more if the request arrives twice, although its method does not say so. */
export const repeatableKey = createContextKey(false, { description: "repeatable" });

/** Tells whether a request that failed so may be sent again: nothing can be done twice by it, and it may be answered then. */
export function mayBeRepeated(request: UnaryRequest, error: ConnectError): boolean {
  if (wasNeverSent(error)) return !isUnknownHost(error);
  return isRepeatable(request) && isTransient(error);
}

function isRepeatable(request: UnaryRequest): boolean {
  return (
    request.method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN ||
    requestIdOf(request) !== undefined ||
    request.contextValues.get(repeatableKey)
  );
}

/** AIP-194, and a service that has too much to do for the moment and says when to come back. */
function isTransient(error: ConnectError): boolean {
  if (error.code === Code.ResourceExhausted) return askedDelay(error) !== undefined;
  return error.code === Code.Unavailable || wasLost(error);
}
