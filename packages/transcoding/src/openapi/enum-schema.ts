import type { DescEnum, DescField } from "@bufbuild/protobuf";
import { isUnspecified, listDocumentedEnumNames, spellEnumValue } from "../values/enum-spelling.js";
import { hasPresence } from "../values/local-message.js";
import { isRequired } from "./field-behavior.js";
import type { ProtoComments } from "./proto-comments.js";
import type { Schema } from "./schema.js";
import type { JsonForm, SchemaUse } from "./schema-use.js";

/**
 * Creates the schema of an enum field. A request may use every documented name, aliases included; a response has one name for
 * each value. A response schema lists the zero value named `…UNSPECIFIED` only if the field can be unset.
 */
export function createEnumSchema(field: DescField, desc: DescEnum, use: SchemaUse, json: JsonForm): Schema {
  if (desc.typeName === "google.protobuf.NullValue") return { type: "null" };
  const spelling = json.enums ?? "full";
  const describe = (names: readonly string[]): Schema =>
    spelling === "number"
      ? { type: "integer", format: "int32", enum: names.map(Number) }
      : { type: "string", enum: names };
  if (use.direction === "request") return describe(listDocumentedEnumNames(desc, spelling));
  const numbers = new Set<number>();
  const values = desc.values.filter(({ number }) => !numbers.has(number) && numbers.add(number));
  const mayBeUnset = field.fieldKind !== "enum" || hasPresence(field) || json.unset === "null";
  const returned = values.filter((value) => (mayBeUnset && !isRequired(field)) || !isUnspecified(value));
  return describe(returned.map((value) => spellEnumValue(value, spelling)));
}

/** Describes the values of a schema's enum, as a list. Returns undefined if they are names and none has a comment. */
export function describeEnumValues(
  desc: DescEnum,
  { enum: listed = [] }: Schema,
  comments: ProtoComments,
  json: JsonForm,
): string | undefined {
  const names = listed.map(String);
  const lines = desc.values.flatMap((value) => {
    const name = spellEnumValue(value, json.enums ?? "full");
    const comment = comments.find(value);
    if (!names.includes(name)) return [];
    if (json.enums === "number")
      return `- \`${name}\`: \`${value.name}\`${comment === undefined ? "" : `. ${comment}`}`;
    if (comment === undefined) return [];
    return comment.startsWith(`\`${name}\``) ? `- ${comment}` : `- \`${name}\`: ${comment}`;
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}
