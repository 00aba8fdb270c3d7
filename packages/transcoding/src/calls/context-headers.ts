import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders } from "../http/http-response.js";
import { appendHeaders } from "../http/response-headers.js";
import type { CallContext } from "./call-context.js";

const ASKS_FOR_TRAILERS = /(?:^|,)[ \t]*trailers[ \t]*(?:[,;]|$)/i;

/** Returns the response headers that interceptors and handler have set so far. */
export function createResponseHeaders(context: CallContext): MutableHeaders {
  const headers: MutableHeaders = { ...context.ownHeaders };
  if (context.touchedHeader !== undefined) appendHeaders(headers, context.touchedHeader);
  return headers;
}

/** Returns the trailers that interceptors and handler have set so far. */
export function createTrailers(context: CallContext): MutableHeaders {
  const trailers: MutableHeaders = {};
  if (context.touchedTrailer !== undefined) appendHeaders(trailers, context.touchedTrailer);
  return trailers;
}

/** Reports whether the client accepts trailers (RFC 9110 section 10.1.4). */
export function acceptsTrailers(request: HttpRequest): boolean {
  const te = request.header("te");
  return te !== undefined && ASKS_FOR_TRAILERS.test(te);
}
