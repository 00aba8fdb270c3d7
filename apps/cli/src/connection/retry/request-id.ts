import { randomUUID } from "node:crypto";
import type { Interceptor } from "@connectrpc/connect";
import { idempotentContextKey } from "./retryable.js";

/**
 * Adds a request id (AIP-155) to requests that support one. All attempts of a request share the id, so that the service creates the resource only
 * once.
 */
export const requestIdInterceptor: Interceptor = (next) => (request) => {
  const hasField = request.method.input.fields.some(({ name }) => name === "request_id");
  if (!request.stream && hasField && !request.contextValues.get(idempotentContextKey)) {
    const message = request.message as { requestId?: string };
    message.requestId ??= randomUUID();
  }
  return next(request);
};
