export { createNodeContentCodings, type DecodeScheduler } from "./runtimes/node-content-coding.js";
export { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from "./runtimes/node-handler.js";
export type { NodeRequest, NodeResponse } from "./runtimes/node-request.js";
