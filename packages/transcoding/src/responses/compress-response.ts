import { negotiateCoding } from "../http/content-coding.js";
import type { HttpRequest } from "../http/http-request.js";
import type { HttpResponse, MutableResponse } from "../http/http-response.js";
import { appendHeader } from "../http/response-headers.js";

/**
 * Minimum length of a body that is compressed, in bytes or, for text, in characters. Smaller bodies fit into one or two packets without compression.
 */
const MIN_LENGTH = 1024;
const encoder = new TextEncoder();

/**
 * Compresses a response of at least 1 KiB with the coding that the client prefers. Does not compress streams, because a compressor would delay their
 * messages. Does not compress responses with an ETag, because each coding would need its own ETag, and If-Match would have to accept all of
 * them (RFC 9110 section 8.8.3.3).
 */
export function compressResponse(
  request: HttpRequest,
  response: MutableResponse,
): HttpResponse | Promise<HttpResponse> {
  const { body, headers } = response;
  if (headers.etag !== undefined) return response;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return response;
  if (body.length < MIN_LENGTH) return response;
  appendHeader(headers, "vary", "accept-encoding");
  const coding = negotiateCoding(request.header("accept-encoding"), request.codings);
  if (coding === undefined) return response;
  headers["content-encoding"] = coding.name;
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  return coding.encode(bytes).then((encoded) => ({ ...response, body: encoded }));
}
