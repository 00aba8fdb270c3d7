// The API from before `Exchange`. It goes as soon as nothing uses it.

export type { HeaderFields } from "./http2/hpack/hpack-decoder.js";
export {
  Http2Connection,
  type PartialBodyListener,
  type StreamHandler,
  type StreamRefusal,
  type StreamRefuser,
} from "./http2/http2-connection.js";
export { ErrorCode } from "./http2/http2-error.js";
export type { Http2Limits } from "./http2/http2-limits.js";
export type { Http2Stream, StreamReceiver } from "./http2/http2-stream.js";
export { handleAsRequest, progressOfRequest, type RequestHandler, streamOf } from "./http2/request-stream.js";
export { Stall } from "./http2/stall.js";
export { FixedAnswer } from "./legacy/fixed-answer.js";
export type { WholeRequest } from "./legacy/whole-request.js";
export { Http1Connection, type Http1Options, type WholeRequestHandler } from "./legacy/whole-request-connection.js";
