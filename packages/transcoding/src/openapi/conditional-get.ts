import { hasEtagHeader } from "../rules/header-fields.js";
import type { HttpRule } from "../rules/http-rule.js";
import type { OpenApiParameter, OpenApiResponse } from "./openapi-document.js";

/** Whether a rule's requests are GETs that can be conditional, because the responses have an ETag (RFC 9110 section 13). */
export function supportsConditionalGet(rule: HttpRule): boolean {
  return rule.method === "GET" && rule.rpc.methodKind === "unary" && hasEtagHeader(rule);
}

/** Creates the parameters for the headers If-None-Match and If-Match. Empty for a rule that does not support conditional GETs. */
export function createConditionalGetParameters(rule: HttpRule): readonly OpenApiParameter[] {
  return supportsConditionalGet(rule) ? [IF_NONE_MATCH, IF_MATCH] : [];
}

/** Creates the response with status 304, as an entry of `responses`. Empty for a rule that does not support conditional GETs. */
export function createNotModifiedResponse(rule: HttpRule): Readonly<Record<string, OpenApiResponse>> {
  return supportsConditionalGet(rule) ? { 304: NOT_MODIFIED } : {};
}

const IF_NONE_MATCH: OpenApiParameter = {
  name: "If-None-Match",
  in: "header",
  description:
    "The ETags of earlier responses. If one of them is the current ETag, the response is 304 without a body.",
  schema: { type: "string" },
};

const IF_MATCH: OpenApiParameter = {
  name: "If-Match",
  in: "header",
  description: "The ETags of earlier responses. If none of them is the current ETag, the response is 412.",
  schema: { type: "string" },
};

const NOT_MODIFIED: OpenApiResponse = {
  description: "`If-None-Match` contains the current ETag. The response has no body.",
  headers: { ETag: { description: "The current ETag of the resource.", schema: { type: "string" } } },
};
