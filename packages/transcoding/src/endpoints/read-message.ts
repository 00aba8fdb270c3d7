import { createRequestDecoder } from "../decode/decode-request.js";
import { parseMediaType } from "../http/media-type.js";
import { readBody, rejectBody } from "../http/read-body.js";
import { RequestError } from "../http/request-error.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { EndpointOptions, PathDetails } from "./endpoint.js";
import type { UnaryCodec } from "./unary-endpoint.js";

export function createMessageReader(
  rule: HttpRule,
  readMaxBytes: number,
  { json }: EndpointOptions,
): UnaryCodec<PathDetails>["read"] {
  const decoder = createRequestDecoder(rule, json);
  return (request, { target, values }) => {
    const decode = (body: Uint8Array | undefined) => decoder.decode(values, target.query, body, request);
    if (decoder.body === "none")
      return request.hasBody ? rejectBody(request).then(() => decode(undefined)) : decode(undefined);
    if (decoder.body === "json") requireJson(request.header("content-type"));
    const body = readBody(request, readMaxBytes);
    return body instanceof Promise ? body.then(decode) : decode(body);
  };
}

// RFC 6839 section 3.1 defines the suffix.
const JSON_TYPE = /^application\/(?:[\w!#$&^.+-]+\+)?json$/;

/** Throws a `RequestError` unless the content type is absent, `application/json` or `application/…+json`, and in UTF-8 (RFC 8259 section 8.1). */
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
