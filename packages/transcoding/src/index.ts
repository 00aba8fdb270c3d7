export { addResponseField } from "./calls/call-context.js";
export type { DecodeOptions } from "./decode/decode-options.js";
export { createRequestDecoder, type DecodedRequest, type RequestDecoder } from "./decode/decode-request.js";
export { createMessageEncoder, type MessageEncoder } from "./encode/encode-message.js";
export type { EncodeOptions } from "./encode/encode-options.js";
export { createResponseEncoder, type ResponseEncoder } from "./encode/encode-response.js";
export { createFieldReader, type FieldReader } from "./encode/field-reader.js";
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
  OpenApiSecurityRequirement,
  OpenApiSecurityScheme,
  OpenApiTag,
} from "./openapi/openapi-document.js";
export type { DocumentedFailure, OpenApiOptions, OpenApiSecurity } from "./openapi/openapi-options.js";
export type { Schema, SchemaType } from "./openapi/schema.js";
export { type ContentCoding, negotiateCoding } from "./responses/content-coding.js";
export type { CorsOptions } from "./responses/cors.js";
export { type EntityTag, parseEntityTags } from "./responses/entity-tags.js";
export type { ErrorOptions } from "./responses/error-response.js";
export type { ErrorListener } from "./responses/failure.js";
export { codeToName, httpStatusFromCode } from "./responses/http-status.js";
export { type FieldViolation, RequestError, type RequestErrorReason } from "./responses/request-error.js";
export { decodeSegment, decodeSegments, encodeSegment, type PathDecoding } from "./routing/path-escape.js";
export {
  type PathTemplate,
  PathTemplateError,
  parsePathTemplate,
  printPathTemplate,
  type TemplateSegment,
  type TemplateVariable,
} from "./routing/path-template.js";
export {
  createRouter,
  type Route,
  RouteConflictError,
  type RouteMatch,
  type Router,
  type RouterOptions,
} from "./routing/router.js";
export { createCompressions } from "./rpc/compressions.js";
export {
  type ConnectFailures,
  type ConnectFailuresOptions,
  createConnectFailures,
} from "./rpc/connect/connect-failures.js";
export { createErrorForms, type ErrorForm, type ErrorForms } from "./rpc/error-forms.js";
export type { GrpcReceiver, GrpcStream } from "./rpc/grpc/grpc-stream.js";
export { createRpcHandler, type RpcHandler } from "./rpc/rpc-handler.js";
export type { BodyBinding, FieldPath, HttpRule } from "./rules/http-rule.js";
export type { PathAliases } from "./rules/path-alias.js";
export { type ResolvedRules, type RuleOptions, readHttpRules, resolveHttpRules } from "./rules/read-http-rules.js";
export { HttpRuleError } from "./rules/rule-problems.js";
export { createFetchHandler, type FetchHandlerOptions } from "./runtimes/fetch-handler.js";
export { createNodeContentCodings, type DecodeScheduler } from "./runtimes/node-content-coding.js";
export { createNodeHandler, type NodeHandler, type NodeHandlerOptions } from "./runtimes/node-handler.js";
export { isGone as isNodeRequestGone, type NodeRequest, type NodeResponse } from "./runtimes/node-request.js";
export { cutNodeResponse, writeNodeResponse } from "./runtimes/node-response.js";
export { createWebContentCodings } from "./runtimes/web-content-coding.js";
export type { WholeRequest } from "./runtimes/whole-request.js";
export { createWholeRequestHandler, type WholeRequestHandlerOptions } from "./runtimes/whole-request-handler.js";
export { createTranscoder, type Transcoder } from "./transcoder.js";
export type { TranscoderOptions } from "./transcoder-options.js";
export type { TranscoderRequest } from "./transcoder-request.js";
export type { ResponseHeaders, TranscoderResponse } from "./transcoder-response.js";
export type { EnumSpelling } from "./values/enum-spelling.js";
export type { RawBody } from "./values/raw-body.js";
