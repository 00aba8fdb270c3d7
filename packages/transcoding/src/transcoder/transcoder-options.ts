import type { ConnectRouter, HandlerContext, Interceptor } from "@connectrpc/connect";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import type { ErrorBodyOptions } from "../endpoints/error-response.js";
import type { DeadlineWrapper } from "../endpoints/registered-method.js";
import type { MessageValidator } from "../endpoints/reject-violations.js";
import type { ErrorListener } from "../responses/failure.js";
import type { PathAliases } from "../rules/path-alias.js";
import type { RuleOptions } from "../rules/read-http-rules.js";

export interface TranscoderOptions extends RuleOptions {
  /** Registers the implementations of services, as for Connect's adapters. Services without HTTP rules are ignored. */
  readonly routes: (router: ConnectRouter) => void;
  /**
   * Connect interceptors, the outermost one first. As in Connect, interceptors in a service's registration replace these interceptors. Default: none.
   */
  readonly interceptors?: readonly Interceptor[];
  /**
   * A request gate, as in Connect. Called with the handler's context before the body is read and before interceptors run. An error that the gate
   * throws is sent to the client. As in Connect, a gate in a service's registration replaces this gate. Default: none.
   */
  readonly requestGate?: (context: HandlerContext) => void | Promise<void>;
  /**
   * Runs the work of an RPC whose client set a timeout, for example to pass the RPC's signal to a database driver. Must call `work` and return its
   * result. Not called for RPCs without a timeout. Default: calls `work`.
   */
  readonly aroundDeadline?: DeadlineWrapper;
  /** A prefix for all paths, and for the URLs in `Location` and `Link`, such as `/api`. Without a trailing slash. Default: empty. */
  readonly basePath?: string;
  /**
   * Aliases of path prefixes: `{ "/v1beta": "/v1" }` also serves `/v1/…` as `/v1beta/…`. `Location` and `Link` have the prefix of the request. The
   * OpenAPI document does not list aliases. Default: none.
   */
  readonly pathAliases?: PathAliases;
  /** Maximum size of a request body in bytes, before and after decompression. Default: 4 MiB. */
  readonly readMaxBytes?: number;
  /** The longest timeout, in milliseconds, that a client may set. A request with a longer one gets 400, as in Connect. Default: no limit. */
  readonly maxTimeoutMs?: number;
  /** A signal that aborts at shutdown. The signals of all in-flight RPCs then abort with the same reason. Default: none. */
  readonly shutdownSignal?: AbortSignal;
  /** How JSON is read and written. The defaults are those of ProtoJSON, except that unknown field names are rejected. */
  readonly json?: DecodeOptions & EncodeOptions;
  /** The format of error bodies. Default: the format of AIP-193, with an empty domain. */
  readonly errors?: ErrorBodyOptions;
  /** Whether `/a/` and `/a` are different paths (`strict`) or the same path (`ignore`). Default: `strict`. */
  readonly trailingSlash?: "strict" | "ignore";
  /** Whether all reserved characters stay encoded in path variables of several segments. If false, only `%2F` does. Default: false. */
  readonly keepReserved?: boolean;
  /** Whether to compress responses of at least 1 KiB for clients that accept it. Default: true. */
  readonly compression?: boolean;
  /**
   * Finds further violations in a message that could not be decoded completely, so that one error lists all violations. Called only if decoding found
   * violations. Its violations of fields that decoding already found invalid are dropped. An error that it throws is sent instead. Default: none.
   */
  readonly validate?: MessageValidator;
  /** Called with every error that is not a ConnectError with a valid code. May return the error to send. Otherwise, clients get `internal error`. */
  readonly onError?: ErrorListener;
}
