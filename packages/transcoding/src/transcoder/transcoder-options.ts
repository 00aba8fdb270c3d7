import type { ConnectRouter, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { ErrorOptions } from "../endpoints/error-response.js";
import type { DeadlineWrapper } from "../endpoints/recorded-method.js";
import type { MessageValidator } from "../endpoints/reject-violations.js";
import type { ErrorListener } from "../responses/failure.js";
import type { PathAliases } from "../rules/path-alias.js";
import type { RuleOptions } from "../rules/read-http-rules.js";

export interface TranscoderOptions extends RuleOptions {
  /** Registers the service implementations. Connect's adapters take the same function. Services without `google.api.http` rules are ignored. */
  readonly routes: (router: ConnectRouter) => void;
  /** Connect's interceptors, the outermost one first. Interceptors in a service's registration replace them, as in Connect. */
  readonly interceptors?: readonly Interceptor[];
  /**
   * Connect's request gate: called with the handler's context before the body is read and before interceptors run. An error that
   * it throws is sent to the client. The gate in a service's registration replaces it, as in Connect. Default: none.
   */
  readonly requestGate?: (context: HandlerContext) => void | Promise<void>;
  /**
   * Wraps the work of an RPC whose client set a timeout, for example to pass the RPC's signal to a database driver. It must call `work` and
   * return its result. Not used for RPCs without a timeout. Default: calls `work`.
   */
  readonly aroundDeadline?: DeadlineWrapper;
  /** A prefix of every path, of `Location` and of `Link`, such as `/api`, without a trailing slash. Default: empty. */
  readonly basePath?: string;
  /**
   * Aliases of path prefixes: `{ "/v1beta": "/v1" }` also serves `/v1/…` as `/v1beta/…`. `Location` and `Link` use the prefix
   * of the request. The OpenAPI document does not list aliases. Default: none.
   */
  readonly pathAliases?: PathAliases;
  /** Maximum size of a request body in bytes, before and after decompression. Default: 4 MiB. */
  readonly readMaxBytes?: number;
  /** The longest timeout, in milliseconds, that a client may set. A longer one is rejected with 400, as in Connect. Default: no limit. */
  readonly maxTimeoutMs?: number;
  /** A signal that aborts at shutdown. The signals of all in-flight RPCs then abort with its reason. */
  readonly shutdownSignal?: AbortSignal;
  /** Options for reading and writing JSON. The defaults are those of ProtoJSON, except that unknown names are rejected. */
  readonly json?: DecodeOptions & EncodeOptions;
  /** The format of error bodies. Default: that of AIP-193, with an empty domain. */
  readonly errors?: ErrorOptions;
  /** Whether `/a/` and `/a` are different paths (`strict`) or the same (`ignore`). Default: strict. */
  readonly trailingSlash?: "strict" | "ignore";
  /** Whether multi-segment path variables keep all reserved characters encoded, not only `%2F`. Default: false. */
  readonly keepReserved?: boolean;
  /** Whether to compress responses of at least 1 KiB for clients that accept it. Default: true. */
  readonly compression?: boolean;
  /**
   * Finds further violations in a message that could not be decoded completely, so that one error lists them all. Called only if the
   * decoder found violations. Violations of fields that the decoder already named are dropped. If it throws, that error is sent instead.
   */
  readonly validate?: MessageValidator;
  /** Receives every error that is not a ConnectError with a valid code. May return the error to send. Default: clients get `internal error`. */
  readonly onError?: ErrorListener;
}
