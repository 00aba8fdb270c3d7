export { createNodeContentCodings, type DecodeScheduler } from "./runtimes/node-content-coding.js";
export { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from "./runtimes/node-handler.js";
export { isGone as isNodeRequestGone, type NodeRequest, type NodeResponse } from "./runtimes/node-request.js";
export { cutNodeResponse, writeNodeResponse } from "./runtimes/node-response.js";
export type { WholeRequest } from "./runtimes/whole-request.js";
export { createWholeRequestHandler, type WholeRequestHandlerOptions } from "./runtimes/whole-request-handler.js";
