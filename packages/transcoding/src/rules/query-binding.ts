import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { findWellKnownJson } from "./well-known-json.js";

/** How the query can provide a field, or why it cannot. */
export type QueryBinding =
  /** A parameter with a text value; repeated fields accept several. */
  | { readonly kind: "value" }
  /** A parameter with a JSON value: `Struct`, `Value` and `ListValue`. */
  | { readonly kind: "json" }
  /** A parameter for each entry, with its key in brackets: `labels[color]=blue`. */
  | { readonly kind: "map" }
  /** A parameter for each field of the message, with a dotted path. */
  | { readonly kind: "message"; readonly message: DescMessage }
  /** No parameter. `reason` describes the field: `a repeated message`. */
  | { readonly kind: "none"; readonly reason: string };

const VALUE: QueryBinding = { kind: "value" };
const JSON_TEXT: QueryBinding = { kind: "json" };
const MAP: QueryBinding = { kind: "map" };

/**
 * Determines how the query can provide a field. google/api/http.proto defines primitive types, lists of them, and messages. In addition,
 * well-known types that are written as a single string count as primitive, and those of google/protobuf/struct.proto are JSON.
 */
export function findQueryBinding(field: DescField): QueryBinding {
  const { message } = field;
  const json = message && findWellKnownJson(message);
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
