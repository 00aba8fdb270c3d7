import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";
import type { HttpResponse } from "../gen/transcoding/v1/http_pb.js";
import type { PathTemplate } from "../routing/path-template.js";
import type { FieldPath } from "./field-path.js";

/** The part of the request message that the body provides. */
export type BodyBinding =
  | { readonly kind: "none" }
  /** `body: "*"`: the whole message, except the fields that the path binds. */
  | { readonly kind: "message" }
  /** `body: "field"`: one field, of any kind. */
  | { readonly kind: "field"; readonly field: DescField };

/** One `google.api.http` binding of an RPC, checked and resolved against its messages. */
export interface HttpRule {
  readonly rpc: DescMethod;
  /** The HTTP method in upper case; `*` matches any. */
  readonly method: string;
  readonly template: PathTemplate;
  /** The fields that the template's variables bind, in the template's order. */
  readonly pathFields: readonly FieldPath[];
  readonly body: BodyBinding;
  /** The response field that is the body; undefined if the whole message is. */
  readonly responseBody: DescField | undefined;
  /** The method's `transcoding.v1.http` option; undefined if it has none. */
  readonly response: HttpResponse | undefined;
}

/** Returns the message type of a rule's request body; undefined if the body is not a message. */
export function findBodyMessage({ body, rpc }: HttpRule): DescMessage | undefined {
  if (body.kind === "message") return rpc.input;
  return body.kind === "field" && body.field.fieldKind === "message" ? body.field.message : undefined;
}

export function streamsRequests({ methodKind }: DescMethod): boolean {
  return methodKind === "client_streaming" || methodKind === "bidi_streaming";
}

export function streamsResponses({ methodKind }: DescMethod): boolean {
  return methodKind === "server_streaming" || methodKind === "bidi_streaming";
}

export function successStatus({ response }: HttpRule): number {
  return response?.status || 200;
}

/** Whether a rule's successful responses have a body. 204 and 205 have none (RFC 9110 sections 15.3.5 and 15.3.6). */
export function hasResponseBody(rule: HttpRule): boolean {
  const status = successStatus(rule);
  return status !== 204 && status !== 205;
}
