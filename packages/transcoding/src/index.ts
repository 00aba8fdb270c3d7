export type { ContentCoding } from "./content-coding.js";
export type { CorsOptions } from "./cors.js";
export type { ErrorOptions } from "./error-response.js";
export { createFetchHandler, type FetchHandlerOptions } from "./fetch-handler.js";
export {
  createNodeHandler,
  type NodeHandler,
  type NodeHandlerOptions,
  type NodeRequest,
  type NodeResponse,
} from "./node-handler.js";
export { type FieldViolation, RequestError, type RequestErrorReason } from "./request-error.js";
export { createTranscoder, type Transcoder } from "./transcoder.js";
export type { TranscoderOptions } from "./transcoder-options.js";
export type { TranscoderRequest } from "./transcoder-request.js";
export type { ResponseHeaders, TranscoderResponse } from "./transcoder-response.js";
