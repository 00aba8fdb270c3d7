import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { ErrorEncoder } from "../responses/error-response.js";
import type { RequestTarget } from "../routing/request-target.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { TranscoderOptions } from "../transcoder-options.js";
import type { TranscoderRequest } from "../transcoder-request.js";
import type { TranscoderResponse } from "../transcoder-response.js";
import { CallContext } from "./call-context.js";
import type { MethodOptions } from "./recorded-method.js";
import { parseTimeout } from "./timeout.js";

/**
 * Answers the requests of one rule. `values` are those of the path's variables. Rejects where there is no call to speak of
 * yet; once there is, its failure is a response.
 */
export type Endpoint = (
  request: TranscoderRequest,
  target: RequestTarget,
  values: readonly string[],
) => Promise<TranscoderResponse>;

/** What a route leads to. */
export interface RuleEndpoint {
  /** Whether its responses come in one piece. */
  readonly isUnary: boolean;
  readonly answer: Endpoint;
}

/** What the endpoints of a transcoder share. */
export interface EndpointOptions {
  readonly basePath: string;
  readonly json: DecodeOptions & EncodeOptions;
  readonly validate: TranscoderOptions["validate"];
  readonly errors: ErrorEncoder;
}

/** Opens the context of a call, from where on its deadline counts. Throws a `RequestError` for a malformed timeout. */
export function openContext(rule: HttpRule, request: TranscoderRequest, options: MethodOptions): CallContext {
  const timeoutMs = parseTimeout(request, options.maxTimeoutMs);
  return new CallContext("transcoding", rule.rpc, request, timeoutMs, options.shutdownSignal);
}
