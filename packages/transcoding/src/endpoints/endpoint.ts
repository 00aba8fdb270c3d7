import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableResponse } from "../http/http-response.js";
import type { RequestTarget } from "../routing/request-target.js";
import type { ErrorResponseEncoder } from "./error-response.js";
import type { MessageValidator } from "./reject-violations.js";

/** A parsed request target and its path values. */
export interface RoutedPath {
  readonly target: RequestTarget;
  /** The decoded values of the path's variables, in the order of the variables in the template. */
  readonly values: readonly string[];
}

/** Handles the requests for one HTTP rule. Rejects if the request is malformed. Resolves to an error response if the RPC fails. */
export type Endpoint = (request: HttpRequest, details: RoutedPath) => Promise<MutableResponse>;

/** The options that all endpoints of a transcoder share. */
export interface EndpointOptions {
  readonly basePath: string;
  readonly json: DecodeOptions & EncodeOptions;
  readonly validate: MessageValidator | undefined;
  readonly errors: ErrorResponseEncoder;
}
