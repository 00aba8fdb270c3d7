import { createRequestDecoder } from "../decode/decode-request.js";
import { parseMediaType } from "../http/media-type.js";
import { readBody, rejectUnexpectedBody } from "../http/read-body.js";
import { RequestError } from "../http/request-error.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { EndpointOptions, RoutedPath } from "./endpoint.js";
import type { UnaryCodec } from "./unary-endpoint.js";

export function createMessageReader(
  rule: HttpRule,
  readMaxBytes: number,
  { json }: EndpointOptions,
): UnaryCodec<RoutedPath>["read"] {
  const decoder = createRequestDecoder(rule, json);
  return (request, { target, values }) => {
    const decode = (body: Uint8Array | undefined) => decoder.decode(values, target.query, body, request);
    if (decoder.body === "none")
      return request.hasBody ? rejectUnexpectedBody(request).then(() => decode(undefined)) : decode(undefined);
    if (decoder.body === "json") requireJson(request.header("content-type"));
    const body = readBody(request, readMaxBytes);
    return body instanceof Promise ? body.then(decode) : decode(body);
  };
}

// RFC 6839 section 3.1 defines the suffix `+json`.
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json$/;

/** Throws a `RequestError` unless the Content-Type is absent or JSON in UTF-8: `application/json` or `application/…+json` (RFC 8259 section 8.1). */
function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || contentType === "application/json") return;
  if (JSON_TYPE.test(parseMediaType(contentType) ?? "")) return;
  throw createNotJsonError();
}

export function createNotJsonError(): RequestError {
  return new RequestError(
    "CONTENT_TYPE_UNSUPPORTED",
    "the Content-Type is not supported: send JSON in UTF-8 with Content-Type: application/json",
    { headers: { accept: "application/json" } },
  );
}
