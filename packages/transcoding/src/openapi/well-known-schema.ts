import type { DescMessage } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { createScalarSchema } from "./scalar-schema.js";
import type { Schema } from "./schema.js";
import type { JsonForm } from "./schema-use.js";

const SCHEMAS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Duration", { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" }],
  ["google.protobuf.FieldMask", { type: "string" }],
  ["google.protobuf.Struct", { type: "object", additionalProperties: true }],
  ["google.protobuf.ListValue", { type: "array", items: {} }],
  ["google.protobuf.Value", {}],
  ["google.protobuf.Any", { type: "object", properties: { "@type": { type: "string" } }, additionalProperties: true }],
]);

/** Finds the schema of a message type with a special JSON form (ProtoJSON). Returns undefined for other types. */
export function findWellKnownSchema(desc: DescMessage, json: JsonForm = {}): Schema | undefined {
  return isWrapperDesc(desc) ? createScalarSchema(desc.fields[0].scalar, json) : SCHEMAS.get(desc.typeName);
}
