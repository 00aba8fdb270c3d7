export {
  type BufferedResponse,
  createErrorResponsesByProtocol,
  type ErrorResponsesByProtocol,
} from "./rpc/failure-response.js";
export { createRpcHandler } from "./rpc/rpc-handler.js";
export type { RpcOptions } from "./rpc/rpc-options.js";
