import { createResponseEncoder } from "../encode/encode-response.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders, MutableResponse } from "../http/http-response.js";
import { RequestError } from "../http/request-error.js";
import { appendHeaders, textToHeaderValue } from "../http/response-headers.js";
import { createResponseHeaderWriters } from "../responses/success-headers.js";
import { hasEtagHeader } from "../rules/header-fields.js";
import { getSuccessStatus, type HttpRule, hasResponseBody } from "../rules/http-rule.js";
import { parseEntityTags } from "../values/entity-tags.js";
import type { EndpointOptions, RoutedPath } from "./endpoint.js";
import type { RpcContext } from "./rpc-context.js";
import type { UnaryCodec } from "./unary-endpoint.js";

/** Creates the function that writes the response for a rule whose responses consist of one message. */
export function createUnaryResponseWriter(
  rule: HttpRule,
  { basePath, json }: EndpointOptions,
): UnaryCodec<RoutedPath, MutableResponse>["write"] {
  const status = getSuccessStatus(rule);
  const hasBody = hasResponseBody(rule);
  const supportsConditionalGet = hasEtagHeader(rule);
  const headerWriters = createResponseHeaderWriters(rule, basePath, json);
  const { encode, encodeLong, readRaw } = createResponseEncoder(rule.rpc.output, rule.responseBody, json);
  return (message, context, request, { target }) => {
    const headers = context.copyHeaders();
    const trailers = hasBody ? writeTrailers(request, context, headers) : moveTrailers(headers, context);
    for (const write of headerWriters) write(headers, message, target);
    const { etag } = headers;
    // Checks If-Match and If-None-Match after the RPC, which is safe because a GET changes nothing.
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (supportsConditionalGet && isRead && typeof etag === "string" && isNotModified(request, etag)) {
      if (trailers !== undefined) moveTrailers(headers, context);
      delete headers["content-type"];
      return { status: 304, headers, body: undefined, trailers: undefined };
    }
    const respond = (body: MutableResponse["body"]) => ({ status, headers, body, trailers });
    if (!hasBody) {
      delete headers["content-type"];
      return respond(undefined);
    }
    if (readRaw !== undefined) {
      const raw = readRaw(message);
      headers["content-type"] = textToHeaderValue(raw.contentType) || "application/octet-stream";
      return respond(raw.data);
    }
    headers["content-type"] = "application/json";
    return encodeLong?.(message)?.then(respond) ?? respond(encode(message));
  };
}

/** Returns the trailers to send. If the client or the HTTP version does not support trailers, adds them to `headers` instead. */
function writeTrailers(
  request: HttpRequest,
  context: RpcContext,
  headers: MutableHeaders,
): MutableResponse["trailers"] {
  if (context.touchedTrailer === undefined) return undefined;
  // A response to HEAD has no body after which trailers could follow.
  const isSupported = acceptsTrailers(request) && request.httpVersion !== "1.0" && request.method !== "HEAD";
  if (!isSupported) return moveTrailers(headers, context);
  const trailers = context.copyTrailers();
  const names = Object.keys(trailers);
  if (names.length === 0) return undefined;
  headers.trailer = names.join(", ");
  return () => trailers;
}

/** Adds the trailers to the headers. Returns undefined, because no trailers are left to send. */
function moveTrailers(headers: MutableHeaders, { touchedTrailer }: RpcContext): undefined {
  if (touchedTrailer === undefined) return;
  delete headers.trailer;
  appendHeaders(headers, touchedTrailer);
}

/** Reports whether the client accepts trailers, because it sent `TE: trailers` (RFC 9110 section 10.1.4). */
export function acceptsTrailers(request: HttpRequest): boolean {
  const te = request.header("te");
  return te !== undefined && ASKS_FOR_TRAILERS.test(te);
}

const ASKS_FOR_TRAILERS = /(?:^|,)[ \t]*trailers[ \t]*(?:[,;]|$)/i;

/**
 * Whether the client of a GET or HEAD already has the current response, because If-None-Match lists the response's entity tag (RFC 9110 sections
 * 13.1.2 and 13.2.2). A malformed If-Match or If-None-Match counts as absent, because a GET changes nothing.
 *
 * @throws RequestError `ETAG_MISMATCH` if If-Match is present and does not list the entity tag (RFC 9110 section 13.1.1).
 */
function isNotModified(request: HttpRequest, etag: string): boolean {
  if (lists(request.header("if-match"), etag, true) === false) throw createEtagMismatchError();
  return lists(request.header("if-none-match"), etag, false) === true;
}

/** Creates the error for a GET or HEAD whose If-Match does not list the current entity tag. */
export function createEtagMismatchError(): RequestError {
  return new RequestError(
    "ETAG_MISMATCH",
    "If-Match does not list the current ETag of the resource: read the resource again without If-Match",
  );
}

/**
 * Whether a header's value lists an entity tag, by strong or weak comparison (RFC 9110 section 8.8.3.2). Returns undefined if the value is absent or
 * malformed.
 */
function lists(text: string | undefined, etag: string, isStrong: boolean): boolean | undefined {
  const listed = text === undefined ? undefined : parseEntityTags(text);
  if (listed === undefined) return undefined;
  if (listed === "*") return true;
  const current = parseEntityTags(etag)?.[0];
  if (typeof current !== "object" || (isStrong && current.isWeak)) return false;
  return listed.some(({ isWeak, opaqueTag }) => opaqueTag === current.opaqueTag && !(isStrong && isWeak));
}
