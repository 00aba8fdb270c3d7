import type { Code, ContextValues } from "@connectrpc/connect";
import type { HttpRequest } from "../http/http-request.js";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";

/** Options of `createRpcHandler`. Options of the transcoder have the same meaning here. */
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
  /** A path prefix under which procedures are served in addition to the root, such as `/api`, without a slash at the end. Default: none. */
  readonly basePath?: string;
  /** JSON options for messages in JSON. The defaults are those of ProtoJSON, except that unknown names are rejected. */
  readonly json?: TranscoderOptions["json"];
  /** Domain of the `google.rpc.ErrorInfo` that is added to errors without one. Default: empty. */
  readonly errorDomain?: string;
  /** Called after each message of an RPC that Connect's handlers serve, with the number of body bytes received so far. */
  readonly onBodyTaken?: (request: HttpRequest, bytes: number) => void;
  /**
   * Called with the outcome of an RPC over gRPC or gRPC-Web, or of a Connect stream, before it is sent: the code of an error, or undefined for
   * success. The HTTP status of these responses does not show it. The code of a malformed frame is INVALID_ARGUMENT here, and INTERNAL in the
   * response.
   */
  readonly onOutcome?: (values: ContextValues, code: Code | undefined) => void;
}
