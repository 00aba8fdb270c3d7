export { Http1Request } from "./node/http1-request.js";
export { Http2Request } from "./node/http2-request.js";
export { createNodeContentCodings, type DecompressionScheduler } from "./node/node-content-coding.js";
export {
  createNodeHandler,
  createNodeStreamHandler,
  type NodeHandler,
  type NodeHandlerOptions,
  type NodeStreamHandler,
} from "./node/node-handler.js";
export {
  type AwaitedParty,
  type ConnectionPeer,
  NodeRequest,
  type RequestConnection,
} from "./node/node-request.js";
