import { randomUUID } from "node:crypto";
import type { Interceptor } from "@connectrpc/connect";

/** Gives each request that has a place for it an id (AIP-155), which is the same in each try: what it creates is created once. */
export const requestIdInterceptor: Interceptor = (next) => (request) => {
  if (!request.stream && request.method.input.fields.some(({ name }) => name === "request_id")) {
    const message = request.message as { requestId?: string };
    message.requestId ??= randomUUID();
  }
  return next(request);
};
