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
  return {
    protocolName: "transcoding",
    readTimeout: parseTimeout,
    read: createMessageReader(rule, readMaxBytes, shared),
    write: createResponseWriter(rule, shared),
    fail: shared.errors.encode,
  };
}
