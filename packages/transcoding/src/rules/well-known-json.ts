import type { DescMessage } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";

/**
 * Finds the JSON form of a well-known type (ProtoJSON, https://protobuf.dev/programming-guides/json): `text` for a string, number or bool,
 * `structure` for a type that can be an object or an array. Returns undefined for all other messages, which are written as objects of their fields.
 */
export function findWellKnownJson(message: DescMessage): "text" | "structure" | undefined {
  if (!hasCustomJsonRepresentation(message)) return undefined;
  return STRUCTURES.has(message.typeName) ? "structure" : "text";
}

const STRUCTURES: ReadonlySet<string> = new Set([
  "google.protobuf.Any",
  "google.protobuf.ListValue",
  "google.protobuf.Struct",
  "google.protobuf.Value",
]);
