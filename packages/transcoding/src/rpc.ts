export { createErrorForms, type ErrorForm, type ErrorForms } from "./rpc/error-forms.js";
export { createRpcHandler, type RpcHandler } from "./rpc/rpc-handler.js";
export type { RpcOptions } from "./rpc/rpc-options.js";
