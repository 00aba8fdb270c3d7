import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableResponse } from "../http/http-response.js";
import type { RequestTarget } from "../routing/request-target.js";
import type { HttpRule } from "../rules/http-rule.js";
import { CallContext } from "./call-context.js";
import type { ErrorEncoder } from "./error-response.js";
import type { MethodOptions } from "./recorded-method.js";
import type { MessageValidator } from "./require-valid.js";
import { parseTimeout } from "./timeout.js";

/** The part of a request that the router reads from its path. */
export interface PathDetails {
  readonly target: RequestTarget;
  /** The values of the path's variables. */
  readonly values: readonly string[];
}

/** Handles the requests of one rule. Rejects if the request is malformed. A failed call resolves to a response. */
export type Endpoint = (request: HttpRequest, details: PathDetails) => Promise<MutableResponse>;

/** The options that all endpoints of a transcoder share. */
export interface EndpointOptions {
  readonly basePath: string;
  readonly json: DecodeOptions & EncodeOptions;
  readonly validate: MessageValidator | undefined;
  readonly errors: ErrorEncoder;
}

/** Opens the context of a call and starts its deadline. Throws a `RequestError` for a malformed timeout. */
export function openContext(rule: HttpRule, request: HttpRequest, options: MethodOptions): CallContext {
  const timeoutMs = parseTimeout(request, options.maxTimeoutMs);
  return new CallContext("transcoding", rule.rpc, request, timeoutMs, options.shutdownSignal);
}
