import type { DescField } from "@bufbuild/protobuf";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { acceptsNull, hasPresence } from "../values/local-message.js";
import { isRequired } from "./field-behavior.js";

/** Where a message is used: the schemas of requests and responses differ. */
export interface SchemaUse {
  readonly direction: "request" | "response";
  /** Whether null is rejected in the request (`refuse_null` of transcoding/v1/http.proto). */
  readonly refusesNull: boolean;
}

export const RESPONSE_USE: SchemaUse = { direction: "response", refusesNull: false };

/** The use in a path, a query or a header, which cannot contain null. */
export const PARAMETER_USE: SchemaUse = { direction: "request", refusesNull: true };

export type JsonOptions = DecodeOptions & EncodeOptions;

/** Returns the name of a field in JSON objects. */
export function memberName(field: DescField, json: JsonOptions): string {
  return json.fieldNames === "proto" ? field.name : field.jsonName;
}

/** Whether every valid object contains the field. */
export function isAlwaysPresent(field: DescField, use: SchemaUse, json: JsonOptions): boolean {
  if (use.direction === "request") return isRequired(field);
  if (field.oneof !== undefined) return false;
  if (json.unset === "null") return !(acceptsNull(field) && hasPresence(field));
  // Default values of fields without presence are omitted.
  return isRequired(field) && hasPresence(field);
}

/** Whether a field may be null. In a request, null means that the field is absent (ProtoJSON). */
export function isNullable(field: DescField, use: SchemaUse, json: JsonOptions): boolean {
  if (isRequired(field) || acceptsNull(field)) return false;
  if (use.direction === "request") return !use.refusesNull;
  return json.unset === "null" && hasPresence(field) && field.oneof === undefined;
}
