export type { HeaderFields } from "./hpack/hpack-decoder.js";
export { Http2Connection, type StreamHandler } from "./http2-connection.js";
export { ErrorCode } from "./http2-error.js";
export type { Http2Stream, StreamReceiver } from "./http2-stream.js";
export { handleAsRequest, type RequestHandler } from "./request-stream.js";
