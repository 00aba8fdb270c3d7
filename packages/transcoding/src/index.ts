export { type ContentCoding, negotiateCoding } from "./content-coding.js";
export type { CorsOptions } from "./cors.js";
export type { DecodeOptions } from "./decode-options.js";
export { createRequestDecoder, type DecodedRequest, type RequestDecoder } from "./decode-request.js";
export { createMessageEncoder, type MessageEncoder } from "./encode-message.js";
export type { EncodeOptions } from "./encode-options.js";
export { createResponseEncoder, type ResponseEncoder } from "./encode-response.js";
export type { EnumSpelling } from "./enum-spelling.js";
export type { ErrorListener, ErrorOptions } from "./error-response.js";
export { createFetchHandler, type FetchHandlerOptions } from "./fetch-handler.js";
export { createFieldReader, type FieldReader } from "./field-reader.js";
export { type BodyBinding, type FieldPath, type HttpRule, readHttpRules } from "./http-rule.js";
export { codeToName, httpStatusFromCode } from "./http-status.js";
export { createNodeContentCodings } from "./node-content-coding.js";
export { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from "./node-handler.js";
export type { NodeRequest, NodeResponse } from "./node-request.js";
export { openapi } from "./openapi/openapi.js";
export type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiHeader,
  OpenApiInfo,
  OpenApiMediaType,
  OpenApiMethod,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiReference,
  OpenApiRequestBody,
  OpenApiResponse,
  OpenApiTag,
} from "./openapi/openapi-document.js";
export type { DocumentedFailure, OpenApiOptions } from "./openapi/openapi-options.js";
export type { Schema, SchemaType } from "./openapi/schema.js";
export { decodeSegment, decodeSegments, encodeSegment, type PathDecoding } from "./path-escape.js";
export {
  type PathTemplate,
  PathTemplateError,
  parsePathTemplate,
  printPathTemplate,
  type TemplateSegment,
  type TemplateVariable,
} from "./path-template.js";
export type { RawBody } from "./raw-body.js";
export { type FieldViolation, RequestError, type RequestErrorReason } from "./request-error.js";
export {
  createRouter,
  type Route,
  RouteConflictError,
  type RouteMatch,
  type Router,
  type RouterOptions,
} from "./router.js";
export { HttpRuleError } from "./rule-problems.js";
export { createTranscoder, type Transcoder } from "./transcoder.js";
export type { TranscoderOptions } from "./transcoder-options.js";
export type { TranscoderRequest } from "./transcoder-request.js";
export type { ResponseHeaders, TranscoderResponse } from "./transcoder-response.js";
export { createWebContentCodings } from "./web-content-coding.js";
