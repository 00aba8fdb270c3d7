import { randomUUID } from "node:crypto";
import type { Interceptor, UnaryRequest } from "@connectrpc/connect";

/** The field by which the service knows a request that it has answered already (AIP-155). */
const FIELD = "request_id";

/** Gives each request that has a place for it an id of its own, the same in each try. */
export const requestIdInterceptor: Interceptor = (next) => (request) => {
  if (!request.stream && hasRequestId(request)) fieldsOf(request).requestId ||= randomUUID();
  return next(request);
};

/** The id of a request; undefined if it has none. */
export function requestIdOf(request: UnaryRequest): string | undefined {
  return hasRequestId(request) ? fieldsOf(request).requestId || undefined : undefined;
}

function hasRequestId({ method }: UnaryRequest): boolean {
  return method.input.fields.some(({ name }) => name === FIELD);
}

function fieldsOf({ message }: UnaryRequest): { requestId?: string } {
  return message as { requestId?: string };
}
