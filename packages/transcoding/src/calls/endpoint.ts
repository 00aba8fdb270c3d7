import type { DescMethod, Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableResponse } from "../http/http-response.js";
import type { FieldViolation } from "../http/request-error.js";
import type { HttpRule } from "../rules/http-rule.js";
import { CallContext } from "./call-context.js";
import type { ErrorEncoder } from "./error-response.js";
import type { PathDetails } from "./json-codec.js";
import type { MethodOptions } from "./recorded-method.js";
import { parseTimeout } from "./timeout.js";

/** Answers the requests of one rule. Rejects if the request is malformed before it is a call; once it is, its failure is a response. */
export type Endpoint = (request: HttpRequest, details: PathDetails) => Promise<MutableResponse>;

/** What the endpoints of a transcoder share. */
export interface EndpointOptions {
  readonly basePath: string;
  readonly json: DecodeOptions & EncodeOptions;
  readonly validate: Validate | undefined;
  readonly errors: ErrorEncoder;
}

/** Finds what else is wrong with a message that could not be decoded entirely. */
export type Validate = (
  method: DescMethod,
  message: Message,
  context: HandlerContext,
) => readonly FieldViolation[] | Promise<readonly FieldViolation[]>;

/** Opens the context of a call, whose deadline counts from then on. Throws a `RequestError` for a malformed timeout. */
export function openContext(rule: HttpRule, request: HttpRequest, options: MethodOptions): CallContext {
  const timeoutMs = parseTimeout(request, options.maxTimeoutMs);
  return new CallContext("transcoding", rule.rpc, request, timeoutMs, options.shutdownSignal);
}
