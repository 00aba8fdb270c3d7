import { appendHeaders } from "../responses/response-headers.js";
import type { TranscoderRequest } from "../transcoder-request.js";
import type { ResponseHeaders } from "../transcoder-response.js";
import type { CallContext } from "./call-context.js";

const ASKS_FOR_TRAILERS = /(?:^|,)[ \t]*trailers[ \t]*(?:[,;]|$)/i;

/** The response headers that interceptors and handler have set so far. */
export function createResponseHeaders(context: CallContext): ResponseHeaders {
  const headers: ResponseHeaders = {};
  const fields = context.responseFields ?? [];
  for (let at = 0; at < fields.length; at += 2) headers[fields[at] as string] = fields[at + 1] as string;
  if (context.touchedHeader !== undefined) appendHeaders(headers, context.touchedHeader);
  return headers;
}

/** The trailers that interceptors and handler have set so far. */
export function createTrailers(context: CallContext): ResponseHeaders {
  const trailers: ResponseHeaders = {};
  if (context.touchedTrailer !== undefined) appendHeaders(trailers, context.touchedTrailer);
  return trailers;
}

/** Whether the client takes trailers as trailers (RFC 9110 section 10.1.4). */
export function acceptsTrailers(request: TranscoderRequest): boolean {
  const te = request.header("te");
  return te !== undefined && ASKS_FOR_TRAILERS.test(te);
}
