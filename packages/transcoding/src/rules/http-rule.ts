import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { HttpResponse } from "../gen/transcoding/v1/http_pb.js";
import type { PathTemplate } from "../routing/path-template.js";
import type { FieldPath } from "./field-path.js";

/** Which part of the request message the HTTP body provides. */
export type BodyBinding =
  | { readonly kind: "none" }
  /** `body: "*"`: the body is the request message, except the fields that the path binds. */
  | { readonly kind: "message" }
  /** `body: "field"`: the body is the value of one field, of any kind. */
  | { readonly kind: "field"; readonly field: DescField };

/** One `google.api.http` binding of an RPC, checked and resolved against the RPC's messages. */
export interface HttpRule {
  readonly rpc: DescMethod;
  /** The HTTP method in upper case; `*` matches all methods except `OPTIONS`. */
  readonly method: string;
  readonly template: PathTemplate;
  /** The fields that the template's variables bind, in the order of the variables. */
  readonly pathFields: readonly FieldPath[];
  readonly body: BodyBinding;
  /** The response field that is the HTTP body; undefined if the body is the whole response message. */
  readonly responseBody: DescField | undefined;
  /** The RPC's `transcoding.v1.http` option; undefined if the RPC has none. */
  readonly response: HttpResponse | undefined;
}

/** Returns the type of the message in a rule's request body; undefined if the body is not a message or there is none. */
export function findBodyMessageType({ body, rpc }: HttpRule): DescMessage | undefined {
  if (body.kind === "message") return rpc.input;
  return body.kind === "field" && body.field.fieldKind === "message" ? body.field.message : undefined;
}

export function streamsRequests({ methodKind }: DescMethod): boolean {
  return methodKind === "client_streaming" || methodKind === "bidi_streaming";
}

export function streamsResponses({ methodKind }: DescMethod): boolean {
  return methodKind === "server_streaming" || methodKind === "bidi_streaming";
}

export function getSuccessStatus({ response }: HttpRule): number {
  return response?.status || 200;
}

/** Whether a rule's successful responses have a body. Responses with status 204 or 205 have none (RFC 9110 sections 15.3.5 and 15.3.6). */
export function hasResponseBody(rule: HttpRule): boolean {
  const status = getSuccessStatus(rule);
  return status !== 204 && status !== 205;
}
