import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { HttpRequest } from "../http/http-request.js";
import type { MutableResponse } from "../http/http-response.js";
import type { RequestTarget } from "../routing/request-target.js";
import type { ErrorEncoder } from "./error-response.js";
import type { MessageValidator } from "./reject-violations.js";

/** The part of a request that the router reads from its path. */
export interface PathDetails {
  readonly target: RequestTarget;
  /** The values of the path's variables. */
  readonly values: readonly string[];
}

/** Handles the requests of one rule. Rejects if the request is malformed. A failed RPC resolves to a response. */
export type Endpoint = (request: HttpRequest, details: PathDetails) => Promise<MutableResponse>;

/** The options that all endpoints of a transcoder share. */
export interface EndpointOptions {
  readonly basePath: string;
  readonly json: DecodeOptions & EncodeOptions;
  readonly validate: MessageValidator | undefined;
  readonly errors: ErrorEncoder;
}
