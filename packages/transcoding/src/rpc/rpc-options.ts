import type { Code, ContextValues } from "@connectrpc/connect";
import type { HttpRequest } from "../http/http-request.js";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";

/** The options of `createRpcHandler`. Options with the same name as an option of `createTranscoder` have the same meaning. */
export interface RpcOptions
  extends Pick<
    TranscoderOptions,
    | "routes"
    | "interceptors"
    | "requestGate"
    | "aroundDeadline"
    | "readMaxBytes"
    | "maxTimeoutMs"
    | "shutdownSignal"
    | "compression"
    | "validate"
    | "onError"
  > {
  /** A path prefix, such as `/api`, under which RPCs are served in addition to their paths without prefix. No trailing slash. Default: none. */
  readonly basePath?: string;
  /** How messages in JSON are read and written. The defaults are those of ProtoJSON, except that unknown field names are rejected. */
  readonly json?: TranscoderOptions["json"];
  /** The domain of the `google.rpc.ErrorInfo` that is added to errors without an ErrorInfo. Default: empty. */
  readonly errorDomain?: string;
  /** Called for each complete request message of an RPC that Connect's handlers serve, with the number of body bytes read so far. */
  readonly onBodyTaken?: (request: HttpRequest, bytes: number) => void;
  /**
   * Called before the outcome of an RPC over gRPC or gRPC-Web, or of a Connect stream, is sent. `code` is the error's code; undefined for success.
   * The HTTP status of these responses does not show the outcome. For a malformed frame, `code` is INVALID_ARGUMENT, although the client gets
   * INTERNAL.
   */
  readonly onOutcome?: (values: ContextValues, code: Code | undefined) => void;
}
