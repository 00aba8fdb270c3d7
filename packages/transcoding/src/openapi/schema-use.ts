import type { DescField } from "@bufbuild/protobuf";
import type { DecodeOptions } from "../decode/decode-options.js";
import type { EncodeOptions } from "../encode/encode-options.js";
import { hasPresence, takesNull } from "../values/local-message.js";
import { isRequired } from "./field-behavior.js";

/** Where a message travels: its schema in a request is another than in a response. */
export interface SchemaUse {
  readonly direction: "request" | "response";
  /** Whether a null in the request is refused (`refuse_null` of transcoding/v1/http.proto). */
  readonly refusesNull: boolean;
}

/** In a response. */
export const RESPONSE: SchemaUse = { direction: "response", refusesNull: false };

/** How messages are read and written. */
export type JsonForm = DecodeOptions & EncodeOptions;

/** The name of a field's member in JSON objects. */
export function memberName(field: DescField, json: JsonForm): string {
  return json.fieldNames === "proto" ? field.name : field.jsonName;
}

/** Whether the member of a field is always there. */
export function isAlwaysThere(field: DescField, use: SchemaUse, json: JsonForm): boolean {
  if (use.direction === "request") return isRequired(field);
  if (field.oneof !== undefined) return false;
  if (json.unset === "null") return !(takesNull(field) && hasPresence(field));
  // Without presence, a value that is the default is left out.
  return isRequired(field) && hasPresence(field);
}

/** Whether the member of a field may be null in its stead. In a request null stands for absence (ProtoJSON). */
export function mayBeNull(field: DescField, use: SchemaUse, json: JsonForm): boolean {
  if (isRequired(field) || takesNull(field)) return false;
  if (use.direction === "request") return !use.refusesNull;
  return json.unset === "null" && hasPresence(field) && field.oneof === undefined;
}
