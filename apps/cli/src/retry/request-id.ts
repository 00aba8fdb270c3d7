import { randomUUID } from "node:crypto";
import type { Interceptor } from "@connectrpc/connect";
import { repeatableKey } from "./repeatable.js";

/** Gives each request that has a place for it an id (AIP-155), which is the same in each try: what it creates is created once. */
export const requestIdInterceptor: Interceptor = (next) => (request) => {
  const hasField = request.method.input.fields.some(({ name }) => name === "request_id");
  if (!request.stream && hasField && !request.contextValues.get(repeatableKey)) {
    const message = request.message as { requestId?: string };
    message.requestId ??= randomUUID();
  }
  return next(request);
};
