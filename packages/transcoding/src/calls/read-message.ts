import { createRequestDecoder } from "../decode/decode-request.js";
import { readBody, rejectBody } from "../http/read-body.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { EndpointOptions, PathDetails } from "./endpoint.js";
import { requireJson } from "./require-json.js";
import { requireValid } from "./require-valid.js";
import type { UnaryCodec } from "./unary-endpoint.js";

/** Creates the reader of a rule's requests. */
export function createMessageReader(
  rule: HttpRule,
  readMaxBytes: number,
  { json, validate }: EndpointOptions,
): UnaryCodec<PathDetails>["read"] {
  const decoder = createRequestDecoder(rule, json);
  return (request, context, { target, values }) => {
    const decode = (body: Uint8Array | undefined) =>
      requireValid(decoder.decode(values, target.query ?? "", body, request), context, validate);
    if (decoder.body === "none")
      return request.hasBody ? rejectBody(request).then(() => decode(undefined)) : decode(undefined);
    if (decoder.body === "json") requireJson(request.header("content-type"));
    const body = readBody(request, readMaxBytes);
    return body instanceof Promise ? body.then(decode) : decode(body);
  };
}
