import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { findWellKnownJsonKind } from "./well-known-json.js";

/** How query parameters can provide a field, or why they cannot. */
export type QueryBinding =
  /** One parameter whose value is text. A repeated field can have several such parameters. */
  | { readonly kind: "value" }
  /** One parameter whose value is JSON, for `Struct`, `Value` and `ListValue`. */
  | { readonly kind: "json" }
  /** One parameter for each map entry, with the entry's key in brackets: `labels[color]=blue`. */
  | { readonly kind: "map" }
  /** One parameter for each field of the message, named by a dotted path. */
  | { readonly kind: "message"; readonly message: DescMessage }
  /** No parameter can provide the field. `reason` describes the field, such as `a repeated message`. */
  | { readonly kind: "none"; readonly reason: string };

const VALUE: QueryBinding = { kind: "value" };
const JSON_TEXT: QueryBinding = { kind: "json" };
const MAP: QueryBinding = { kind: "map" };

/**
 * Determines how query parameters can provide a field. google/api/http.proto allows fields of primitive types, lists of primitive types, and
 * messages. In addition, well-known types whose JSON form is a string count as primitive, and the types of google/protobuf/struct.proto are accepted
 * as JSON.
 */
export function findQueryBinding(field: DescField): QueryBinding {
  const { message } = field;
  const json = message && findWellKnownJsonKind(message);
  const isText = message === undefined || json === "text";
  switch (field.fieldKind) {
    case "list":
      return isText ? VALUE : none(json ? `repeated ${field.message?.typeName}` : "a repeated message");
    case "map":
      return isText ? MAP : none(json ? `a map of ${field.message?.typeName}` : "a map of messages");
    case "message":
      if (json === undefined) return { kind: "message", message: field.message };
      if (json === "text") return VALUE;
      return field.message.typeName === "google.protobuf.Any" ? none("a google.protobuf.Any") : JSON_TEXT;
    default:
      return VALUE;
  }
}

function none(reason: string): QueryBinding {
  return { kind: "none", reason };
}
