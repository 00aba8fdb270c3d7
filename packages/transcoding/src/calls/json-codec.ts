import type { HttpRequest } from "../http/http-request.js";
import type { MutableResponse } from "../http/http-response.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { EndpointOptions, PathDetails } from "./endpoint.js";
import { createMessageReader } from "./read-message.js";
import { parseTimeout } from "./timeout.js";
import type { UnaryCodec } from "./unary-endpoint.js";
import { createResponseWriter } from "./unary-response.js";

/** Creates the codec of a rule, which reads path, query and JSON body, and writes JSON. */
export function createJsonCodec(
  rule: HttpRule,
  readMaxBytes: number,
  shared: EndpointOptions,
): UnaryCodec<PathDetails, MutableResponse> {
  const read = createMessageReader(rule, { decode: shared.json, validate: shared.validate, readMaxBytes });
  const write = createResponseWriter(rule, shared);
  return {
    protocolName: "transcoding",
    readTimeout: parseTimeout,
    read: (request: HttpRequest, context, { target, values }) => read(request, values, target.query, context),
    write: (message, context, request, { target }) => write(request, target, message, context),
    fail: (error, context) => shared.errors.encode(error, context),
  };
}
