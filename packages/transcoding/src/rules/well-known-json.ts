import type { DescMessage } from "@bufbuild/protobuf";

/**
 * Finds the JSON form of a well-known type (ProtoJSON, https://protobuf.dev/programming-guides/json): `text` for a string,
 * number or bool, `structure` for a type that can be an object or an array. Returns undefined for all other messages, which
 * are objects of their fields.
 */
export function findWellKnownJson(message: DescMessage): "text" | "structure" | undefined {
  if (TEXTS.has(message.typeName)) return "text";
  return STRUCTURES.has(message.typeName) ? "structure" : undefined;
}

const TEXTS: ReadonlySet<string> = new Set([
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
  "google.protobuf.FieldMask",
  "google.protobuf.BoolValue",
  "google.protobuf.BytesValue",
  "google.protobuf.DoubleValue",
  "google.protobuf.FloatValue",
  "google.protobuf.Int32Value",
  "google.protobuf.Int64Value",
  "google.protobuf.StringValue",
  "google.protobuf.UInt32Value",
  "google.protobuf.UInt64Value",
]);

const STRUCTURES: ReadonlySet<string> = new Set([
  "google.protobuf.Any",
  "google.protobuf.ListValue",
  "google.protobuf.Struct",
  "google.protobuf.Value",
]);
