import type { TranscoderOptions } from "../transcoder/transcoder-options.js";
import type { BodyTakenListener } from "./bounded-body.js";
import type { OutcomeListener } from "./failure-corrections.js";

/** Settings for `createRpcHandler`. Options of the transcoder have the same meaning here. */
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
  /** How the Connect protocol's JSON is read and written. The defaults are those of ProtoJSON, except that unknown names are rejected. */
  readonly json?: TranscoderOptions["json"];
  /** The domain of the `google.rpc.ErrorInfo` of errors without one. Default: empty. */
  readonly errorDomain?: string;
  /** Called with the bytes of a body that a call of Connect's handlers has received so far, each time that it receives some. */
  readonly onBodyTaken?: BodyTakenListener;
  /**
   * Called for calls of Connect's handlers, because their HTTP status does not show failures. It gets the code of a failure before
   * the failure is sent. It gets undefined when the implementation returns; a stream may still fail after that.
   */
  readonly onOutcome?: OutcomeListener;
}
