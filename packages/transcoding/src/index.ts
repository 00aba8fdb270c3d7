export type { DecodeOptions } from "./decode/decode-options.js";
export { createRequestDecoder, type DecodedRequest, type RequestDecoder } from "./decode/decode-request.js";
export { createMessageEncoder, type MessageEncoder } from "./encode/encode-message.js";
export type { EncodeOptions } from "./encode/encode-options.js";
export { createResponseEncoder, type ResponseEncoder } from "./encode/encode-response.js";
export { createFieldReader, type FieldReader } from "./encode/field-reader.js";
export type { ErrorBodyOptions } from "./endpoints/error-response.js";
export { addResponseHeader } from "./endpoints/rpc-context.js";
export { type ContentCoding, negotiateCoding } from "./http/content-coding.js";
export type { HttpHandler, HttpRoute } from "./http/http-handler.js";
export type { BodyReceiver, HttpRequest } from "./http/http-request.js";
export type { HttpHeaders, HttpResponse } from "./http/http-response.js";
export { readBodyBytes } from "./http/read-body.js";
export { type FieldViolation, RequestError, type RequestErrorReason } from "./http/request-error.js";
export { textToHeaderValue } from "./http/response-headers.js";
export type { ErrorListener, FailedRpc } from "./responses/failure.js";
export { codeToName, httpStatusFromCode } from "./responses/http-status.js";
export { parsePathTemplate } from "./routing/parse-path-template.js";
export { decodeSegment, decodeSegments, encodeSegment, type PathDecodingOptions } from "./routing/path-escape.js";
export {
  formatPathTemplate,
  type PathTemplate,
  PathTemplateError,
  type TemplateSegment,
  type TemplateVariable,
} from "./routing/path-template.js";
export { getTargetPath } from "./routing/request-target.js";
export {
  createRouter,
  type Route,
  RouteConflictError,
  type RouteMatch,
  type Router,
  type RouterOptions,
} from "./routing/router.js";
export type { FieldPath } from "./rules/field-path.js";
export type { BodyBinding, HttpRule } from "./rules/http-rule.js";
export type { PathAliases } from "./rules/path-alias.js";
export { type ResolvedRules, type RuleOptions, readHttpRules, resolveHttpRules } from "./rules/read-http-rules.js";
export { HttpRuleError } from "./rules/rule-problems.js";
export { createTranscoder, type Transcoder } from "./transcoder/transcoder.js";
export type { TranscoderOptions } from "./transcoder/transcoder-options.js";
export { type EntityTag, findEntityTagsProblem, parseEntityTags } from "./values/entity-tags.js";
export type { EnumSpelling } from "./values/enum-spelling.js";
export type { RawBody } from "./values/raw-body.js";
