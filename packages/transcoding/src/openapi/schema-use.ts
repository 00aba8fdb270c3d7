import type { DescField } from "@bufbuild/protobuf";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { acceptsNull, hasPresence } from "../values/local-message.js";
import { isRequired } from "./field-behavior.js";

/** The position of a message: request and response schemas differ. */
export interface SchemaUse {
  readonly direction: "request" | "response";
  /** Whether null is rejected in the request (`refuse_null` of transcoding/v1/http.proto). */
  readonly refusesNull: boolean;
}

/** The use in a response. */
export const RESPONSE: SchemaUse = { direction: "response", refusesNull: false };

/** The use in a path, a query or a header, which have no null. */
export const PARAMETER: SchemaUse = { direction: "request", refusesNull: true };

/** How JSON is read and written. */
export type JsonForm = DecodeOptions & EncodeOptions;

/** Returns the name of a field in JSON objects. */
export function memberName(field: DescField, json: JsonForm): string {
  return json.fieldNames === "proto" ? field.name : field.jsonName;
}

/** Whether a field is always present in the object. */
export function isAlwaysPresent(field: DescField, use: SchemaUse, json: JsonForm): boolean {
  if (use.direction === "request") return isRequired(field);
  if (field.oneof !== undefined) return false;
  if (json.unset === "null") return !(acceptsNull(field) && hasPresence(field));
  // Default values of fields without presence are omitted.
  return isRequired(field) && hasPresence(field);
}

/** Whether a field may be null. In a request, null means that the field is absent (ProtoJSON). */
export function isNullable(field: DescField, use: SchemaUse, json: JsonForm): boolean {
  if (isRequired(field) || acceptsNull(field)) return false;
  if (use.direction === "request") return !use.refusesNull;
  return json.unset === "null" && hasPresence(field) && field.oneof === undefined;
}
