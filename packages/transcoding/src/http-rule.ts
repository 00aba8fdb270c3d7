import type { DescField, DescMethod } from "@bufbuild/protobuf";
import type { HttpResponse } from "./gen/transcoding/v1/http_pb.js";
import type { PathTemplate } from "./path-template.js";

/** What the request body is bound to. */
export type BodyBinding =
  | { readonly kind: "none" }
  /** `body: "*"`: the whole message but for the fields that the path binds. */
  | { readonly kind: "message" }
  /** `body: "field"`: one field, of any kind. */
  | { readonly kind: "field"; readonly field: DescField };

/** A path from a message to one of its fields, each but the last a singular message field. */
export type FieldPath = readonly [DescField, ...DescField[]];

/** One `google.api.http` binding of an RPC, checked and resolved against its messages. */
export interface HttpRule {
  readonly rpc: DescMethod;
  /** The HTTP method in upper case. */
  readonly method: string;
  readonly template: PathTemplate;
  /** The fields that the template's variables bind, in the template's order. */
  readonly pathFields: readonly FieldPath[];
  readonly body: BodyBinding;
  /** The response field that is the body, or undefined for the whole message. */
  readonly responseBody: DescField | undefined;
  /** The method's `transcoding.v1.http` option, or undefined where it has none. */
  readonly response: HttpResponse | undefined;
}
