export type { HeaderFields } from "./hpack/hpack-decoder.js";
export {
  Http2Connection,
  type PartialBodyListener,
  type StreamHandler,
  type StreamRefusal,
  type StreamRefuser,
} from "./http2-connection.js";
export { ErrorCode } from "./http2-error.js";
export type { Http2Limits } from "./http2-limits.js";
export type { Http2Stream, StreamReceiver } from "./http2-stream.js";
export { handleAsRequest, progressOfRequest, type RequestHandler, streamOf } from "./request-stream.js";
export { Stall } from "./stall.js";
