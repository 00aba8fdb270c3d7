export { createCompressions } from "./rpc/compressions.js";
export {
  type ConnectFailures,
  type ConnectFailuresOptions,
  createConnectFailures,
} from "./rpc/connect/connect-failures.js";
export { createErrorForms, type ErrorForm, type ErrorForms } from "./rpc/error-forms.js";
export type { GrpcReceiver, GrpcStream } from "./rpc/grpc/grpc-stream.js";
export { createRpcHandler, type RpcHandler } from "./rpc/rpc-handler.js";
