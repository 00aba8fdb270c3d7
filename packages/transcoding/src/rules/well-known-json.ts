import type { DescMessage } from "@bufbuild/protobuf";
import { hasCustomJsonRepresentation } from "@bufbuild/protobuf/wkt";

/**
 * Returns the kind of a well-known type's special JSON form (ProtoJSON, https://protobuf.dev/programming-guides/json): `text` if it is a string,
 * number or boolean, and `structure` if it can be an object or an array. Returns undefined for other messages, whose JSON is an object of their
 * fields.
 */
export function findWellKnownJsonKind(message: DescMessage): "text" | "structure" | undefined {
  if (!hasCustomJsonRepresentation(message)) return undefined;
  return STRUCTURES.has(message.typeName) ? "structure" : "text";
}

const STRUCTURES: ReadonlySet<string> = new Set([
  "google.protobuf.Any",
  "google.protobuf.ListValue",
  "google.protobuf.Struct",
  "google.protobuf.Value",
]);
