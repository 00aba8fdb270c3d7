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
  /** Prefix at which procedures are served too, besides the root: a slash and segments without a slash at the end. Default: none. */
  readonly basePath?: string;
  /** The JSON options of the Connect protocol. The defaults are those of ProtoJSON, except that unknown names are rejected. */
  readonly json?: TranscoderOptions["json"];
  /** The domain of the `google.rpc.ErrorInfo` of errors without one. Default: empty. */
  readonly errorDomain?: string;
  /** Called with the number of body bytes that an RPC of Connect's handlers has received so far, after each message. */
  readonly onBodyTaken?: (request: HttpRequest, bytes: number) => void;
  /**
   * Called with the outcome of an RPC of gRPC or gRPC-Web or a Connect stream, which its HTTP status does not show, before it is sent:
   * the code of an error, or undefined for success. The code of a malformed frame is INVALID_ARGUMENT here, and INTERNAL in the response.
   */
  readonly onOutcome?: (values: ContextValues, code: Code | undefined) => void;
}
