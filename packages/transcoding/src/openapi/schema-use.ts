import type { DescField } from "@bufbuild/protobuf";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { fieldAcceptsNull, hasFieldPresence } from "../values/untyped-message.js";
import { isRequiredField } from "./field-behavior.js";

/** Where a message is used. The schema of a message can differ between requests and responses. */
export interface SchemaUse {
  readonly direction: "request" | "response";
  /** Whether the request must not contain null (`refuse_null` in transcoding/v1/http.proto). */
  readonly refusesNull: boolean;
}

export const RESPONSE_SCHEMA_USE: SchemaUse = { direction: "response", refusesNull: false };

/** The use of a message whose fields are in a path, a query or headers, which cannot contain null. */
export const PARAMETER_SCHEMA_USE: SchemaUse = { direction: "request", refusesNull: true };

export type JsonOptions = DecodeOptions & EncodeOptions;

export function getJsonFieldName(field: DescField, json: JsonOptions): string {
  return json.fieldNames === "proto" ? field.name : field.jsonName;
}

/** Whether every valid JSON object of the message contains the field. */
export function isFieldAlwaysPresent(field: DescField, use: SchemaUse, json: JsonOptions): boolean {
  if (use.direction === "request") return isRequiredField(field);
  if (field.oneof !== undefined) return false;
  if (json.unset === "null") return !(fieldAcceptsNull(field) && hasFieldPresence(field));
  // False for a required field without presence, because it is omitted if it has its default value.
  return isRequiredField(field) && hasFieldPresence(field);
}

/** Whether a field's JSON value may be null. In a request, null means that the field is absent (ProtoJSON). */
export function isNullableField(field: DescField, use: SchemaUse, json: JsonOptions): boolean {
  if (isRequiredField(field) || fieldAcceptsNull(field)) return false;
  if (use.direction === "request") return !use.refusesNull;
  return json.unset === "null" && hasFieldPresence(field) && field.oneof === undefined;
}
