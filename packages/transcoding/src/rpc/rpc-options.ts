import type { ContextValues } from "@connectrpc/connect";
import type { NodeHandler, NodeHandlerOptions } from "../runtimes/node-handler.js";
import type { NodeRequest } from "../runtimes/node-request.js";
import type { TranscoderOptions } from "../transcoder-options.js";
import type { BodyTakenListener } from "./bounded-body.js";
import type { GrpcStream } from "./grpc/grpc-stream.js";

/** What `createRpcHandler` is told. What is named as an option of the transcoder means the same here. */
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
    >,
    Pick<NodeHandlerOptions, "codings"> {
  /** Takes everything but plain unary calls: `connectNodeAdapter` with the same routes. */
  readonly fallback: NodeHandler;
  /** Told how much of the body of a request that the fallback serves is with its call. */
  readonly onBodyTaken?: BodyTakenListener;
  /** How the Connect protocol's JSON is read and written; the defaults are those of ProtoJSON, save that unknown names are refused. */
  readonly json?: TranscoderOptions["json"];
  /** The domain of the `google.rpc.ErrorInfo` of errors that have none of their own. Default: empty. */
  readonly errorDomain?: string;
  /** The context values of a call, made of the request, or of the stream of a gRPC call. */
  readonly contextValues?: (source: NodeRequest | GrpcStream) => ContextValues;
}
