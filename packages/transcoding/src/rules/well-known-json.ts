import type { DescMessage } from "@bufbuild/protobuf";

/**
 * Whether a message has a JSON form of its own (ProtoJSON, https://protobuf.dev/programming-guides/json): `text` for those
 * that are one string, number or bool there, `structure` for those that can be an object or an array. Undefined for
 * all other messages, which are objects of their fields.
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
