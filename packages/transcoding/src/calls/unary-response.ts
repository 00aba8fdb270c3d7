import { createResponseEncoder } from "../encode/encode-response.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableHeaders, MutableResponse } from "../http/http-response.js";
import { appendHeaders } from "../http/response-headers.js";
import { isNotModified } from "../responses/preconditions.js";
import { createSuccessHead } from "../responses/success-head.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { CallContext } from "./call-context.js";
import { acceptsTrailers, createResponseHeaders, createTrailers } from "./context-headers.js";
import type { EndpointOptions, PathDetails } from "./endpoint.js";
import type { UnaryCodec } from "./unary-endpoint.js";

/** Creates the writer of a rule's responses with one message. */
export function createResponseWriter(
  rule: HttpRule,
  { basePath, json }: EndpointOptions,
): UnaryCodec<PathDetails, MutableResponse>["write"] {
  const head = createSuccessHead(rule, basePath, json);
  const encoder = createResponseEncoder(rule.rpc.output, rule.responseBody, json);
  return (message, context, request, { target }) => {
    const headers = createResponseHeaders(context);
    const trailers = writeTrailers(request, context, headers);
    head.addHeaders(headers, message, target);
    const { etag } = headers;
    if (head.hasEtag && typeof etag === "string" && isSafeRead(request) && isNotModified(request, etag)) {
      delete headers["content-type"];
      return { status: 304, headers, body: undefined, trailers, matched: true };
    }
    let body: MutableResponse["body"];
    if (!head.hasBody) {
      delete headers["content-type"];
    } else if (encoder.readRaw === undefined) {
      headers["content-type"] = "application/json";
      body = encoder.encode(message);
    } else {
      const raw = encoder.readRaw(message);
      headers["content-type"] = raw.contentType || "application/octet-stream";
      body = raw.data;
    }
    return { status: head.status, headers, body, trailers, matched: true };
  };
}

/** Whether the preconditions of a request can be checked after its call, because the call changes nothing. */
function isSafeRead({ method }: HttpRequest): boolean {
  return method === "GET" || method === "HEAD";
}

/** Writes trailers. Without `TE: trailers` they become headers, because the client would not see them otherwise. */
function writeTrailers(
  request: HttpRequest,
  context: CallContext,
  headers: MutableHeaders,
): MutableResponse["trailers"] {
  if (context.touchedTrailer === undefined) return undefined;
  const trailers = createTrailers(context);
  const names = Object.keys(trailers);
  if (names.length === 0) return undefined;
  if (!acceptsTrailers(request)) {
    appendHeaders(headers, context.touchedTrailer);
    return undefined;
  }
  headers.trailer = names.join(", ");
  return () => trailers;
}
