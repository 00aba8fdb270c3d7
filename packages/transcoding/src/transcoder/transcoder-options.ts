import type { ConnectRouter, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { ErrorOptions } from "../calls/error-response.js";
import type { Validate } from "../calls/read-message.js";
import type { AroundDeadline } from "../calls/recorded-method.js";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { CorsOptions } from "../responses/cors.js";
import type { ErrorListener } from "../responses/failure.js";
import type { PathAliases } from "../rules/path-alias.js";
import type { RuleOptions } from "../rules/read-http-rules.js";

/** What `createTranscoder` is told. Everything but `routes` has a default. */
export interface TranscoderOptions extends RuleOptions {
  /**
   * Registers the service implementations: the same function that Connect's adapters take, so that an implementation is
   * registered once. Services without `google.api.http` rules are ignored.
   */
  readonly routes: (router: ConnectRouter) => void;
  /** Connect's interceptors, the outermost first; a service's own in its registration replace them, as in Connect. */
  readonly interceptors?: readonly Interceptor[];
  /**
   * Connect's request gate: called with the handler's context before anything of the body is read, and before interceptors.
   * What it throws is the answer. A service's own in its registration replaces it, as in Connect. Default: none.
   */
  readonly requestGate?: (context: HandlerContext) => void | Promise<void>;
  /**
   * Runs the work of a call whose client has set a timeout, for example to pass the call's signal on to a database driver. Calls `work`
   * and returns its result. Not called for calls without a timeout. Default: runs just the work.
   */
  readonly aroundDeadline?: AroundDeadline;
  /** Put in front of every path, of `Location` and of `Link`: `/api`, with no slash at its end. Default: empty. */
  readonly basePath?: string;
  /**
   * Prefixes of paths by the aliases that are served too: `{ "/v1beta": "/v1" }`. `Location` and `Link` have the spelling of the
   * request. An OpenAPI document does not have the aliases. Default: none.
   */
  readonly pathAliases?: PathAliases;
  /** The most bytes of a request body, also after decompression. Default: 4 MiB. */
  readonly readMaxBytes?: number;
  /** The longest timeout a client may ask for; a longer one is 400, as in Connect. Default: no limit. */
  readonly maxTimeoutMs?: number;
  /** When it aborts, the signals of all calls in flight abort with its reason. */
  readonly shutdownSignal?: AbortSignal;
  /** How JSON is read and written; the defaults are those of ProtoJSON, save that unknown names are refused. */
  readonly json?: DecodeOptions & EncodeOptions;
  /** The error bodies. Default: the shape of AIP-193 with an empty domain. */
  readonly errors?: ErrorOptions;
  /** Cross-origin requests. Default: none are allowed, and `Origin` is not looked at. */
  readonly cors?: CorsOptions;
  /** Whether `/a/` is another path than `/a`. Default: `strict`, it is. */
  readonly trailingSlash?: "strict" | "ignore";
  /** Whether path variables of several segments keep all reserved characters encoded, not only `%2F`. Default: false. */
  readonly keepReserved?: boolean;
  /** Whether responses of 1 KiB and more are compressed for clients that accept it. Default: true. */
  readonly compression?: boolean;
  /**
   * Finds what else is wrong with a message that could not be decoded entirely, so that one error names everything.
   * Called only when the decoder found violations; those of the fields that it already named are dropped. What it throws is
   * the answer instead.
   */
  readonly validate?: Validate;
  /** Told of every error that is no ConnectError; its client reads `internal error` and nothing of it. */
  readonly onError?: ErrorListener;
}
