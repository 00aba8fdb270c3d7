import { hasEtag } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { OpenApiParameter, OpenApiResponse } from "./openapi-document.js";

/** Whether clients can make the requests of a rule conditional, because its responses have an ETag (RFC 9110 section 13). */
export function isConditional(rule: HttpRule): boolean {
  return rule.method === "GET" && rule.rpc.methodKind === "unary" && hasEtag(rule);
}

/** Creates the parameters for the headers of conditional requests. Empty for other rules. */
export function createConditionParameters(rule: HttpRule): readonly OpenApiParameter[] {
  return isConditional(rule) ? [IF_NONE_MATCH, IF_MATCH] : [];
}

/** Creates the 304 response to a conditional GET, keyed by its status. Empty for other rules. */
export function createNotModified(rule: HttpRule): Readonly<Record<string, OpenApiResponse>> {
  return isConditional(rule) ? { 304: NOT_MODIFIED } : {};
}

const IF_NONE_MATCH: OpenApiParameter = {
  name: "If-None-Match",
  in: "header",
  description: "ETags of earlier responses. If one matches the current ETag, the response is 304 without a body.",
  schema: { type: "string" },
};

const IF_MATCH: OpenApiParameter = {
  name: "If-Match",
  in: "header",
  description: "ETags of earlier responses. If none matches the current ETag, the response is 412.",
  schema: { type: "string" },
};

const NOT_MODIFIED: OpenApiResponse = {
  description: "The current ETag is in `If-None-Match`. The response has no body.",
  headers: { ETag: { description: "The ETag.", schema: { type: "string" } } },
};
