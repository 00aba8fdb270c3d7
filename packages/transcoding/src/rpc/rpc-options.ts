import type { TranscoderOptions } from "../transcoder/transcoder-options.js";
import type { BodyTakenListener } from "./bounded-body.js";
import type { OutcomeListener } from "./failure-corrections.js";

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
  /** Called with the number of body bytes that a call of Connect's handlers has received so far, each time it receives some. */
  readonly onBodyTaken?: BodyTakenListener;
  /**
   * Called with the outcome of calls of Connect's handlers, whose HTTP status does not show failures. The code is passed before
   * the failure is sent. Undefined is passed when the implementation returns, although a stream can still fail later.
   */
  readonly onOutcome?: OutcomeListener;
}
