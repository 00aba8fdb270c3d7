export { Http1Request } from "./node/http1-request.js";
export { Http2Request } from "./node/http2-request.js";
export { createNodeContentCodings, type DecodeScheduler } from "./node/node-content-coding.js";
export {
  createNodeHandler,
  createNodeStreamHandler,
  type NodeHandler,
  type NodeHandlerOptions,
  type NodeStreamHandler,
} from "./node/node-handler.js";
export {
  type ConnectionPeer,
  NodeRequest,
  type RequestConnection,
  type RequestWaitReason,
} from "./node/node-request.js";
