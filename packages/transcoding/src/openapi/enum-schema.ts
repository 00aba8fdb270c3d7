import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import type { HttpRule } from "../rules/http-rule.js";
import {
  type EnumSpelling,
  isUnspecifiedEnumValue,
  listDocumentedEnumNames,
  spellEnumValue,
} from "../values/enum-spelling.js";
import { hasFieldPresence } from "../values/untyped-message.js";
import { isRequiredField } from "./field-behavior.js";
import type { ProtoComments } from "./proto-comments.js";
import type { Schema } from "./schema.js";
import { type JsonOptions, PARAMETER_SCHEMA_USE, RESPONSE_SCHEMA_USE, type SchemaUse } from "./schema-use.js";

/**
 * The values of an enum that a field can have. In a `request`, the values include aliases. In a `response`, each number has one name. `unspecified`
 * means that the field of a response can also have the zero value named `…UNSPECIFIED`.
 */
export type EnumUse = "request" | "response" | "unspecified";

/** Determines which values of its enum a field can have. The field of a response has the unspecified value only if it can be unset. */
export function findEnumUse(field: DescField, { direction }: SchemaUse, json: JsonOptions): EnumUse {
  if (direction === "request") return "request";
  const mayBeUnset = field.fieldKind !== "enum" || hasFieldPresence(field) || json.unset === "null";
  return mayBeUnset && !isRequiredField(field) ? "unspecified" : "response";
}

/** Lists the names or numbers of the enum values that a field with this use can have, in the order of the proto. */
export function listEnumNames(desc: DescEnum, use: EnumUse, spelling: EnumSpelling): readonly string[] {
  if (use === "request") return listDocumentedEnumNames(desc, spelling);
  const numbers = new Set<number>();
  return desc.values
    .filter(({ number }) => !numbers.has(number) && numbers.add(number))
    .filter((value) => use === "unspecified" || !isUnspecifiedEnumValue(value))
    .map((value) => spellEnumValue(value, spelling));
}

/** The text after the enum's name in the name of a schema component. */
export type EnumComponentSuffix = "" | "Input" | "OrUnspecified";

/** Returns the suffix for the schema of an enum in this use. Empty if the schema has the same values as the schema for responses. */
export function findEnumComponentSuffix(desc: DescEnum, use: EnumUse, spelling: EnumSpelling): EnumComponentSuffix {
  const [names, returned] = [use, "response" as const].map((each) => listEnumNames(desc, each, spelling).join());
  if (names === returned) return "";
  return use === "request" ? "Input" : "OrUnspecified";
}

/**
 * Finds the component suffixes of each enum. Searches the messages that the HTTP rules use, and the `written` messages, whose JSON has the same form as
 * that of responses.
 */
export function findEnumComponentSuffixes(
  rules: readonly HttpRule[],
  written: readonly DescMessage[],
  json: JsonOptions,
): ReadonlyMap<DescEnum, ReadonlySet<EnumComponentSuffix>> {
  const found = new Map<DescEnum, Set<EnumComponentSuffix>>();
  const add = (desc: DescEnum, use: EnumUse) => {
    found.set(desc, (found.get(desc) ?? new Set()).add(findEnumComponentSuffix(desc, use, json.enums ?? "full")));
  };
  for (const use of [PARAMETER_SCHEMA_USE, RESPONSE_SCHEMA_USE]) {
    const seen = new Set<DescMessage>();
    const visit = (desc: DescMessage) => {
      if (seen.has(desc)) return;
      seen.add(desc);
      for (const field of desc.fields) {
        if (field.message !== undefined) visit(field.message);
        if (field.enum !== undefined) add(field.enum, findEnumUse(field, use, json));
      }
    };
    for (const { responseBody, rpc } of rules) {
      if (use === PARAMETER_SCHEMA_USE) visit(rpc.input);
      else if (responseBody === undefined) visit(rpc.output);
      else if (responseBody.message !== undefined) visit(responseBody.message);
      else if (responseBody.enum !== undefined) add(responseBody.enum, "unspecified");
    }
    if (use === RESPONSE_SCHEMA_USE) for (const desc of written) visit(desc);
  }
  return found;
}

export function createEnumSchema(
  desc: DescEnum,
  use: EnumUse,
  spelling: EnumSpelling,
  comments: ProtoComments,
): Schema {
  const names = listEnumNames(desc, use, spelling);
  const description = [comments.find(desc), describeEnumValues(desc, use, spelling, comments)].filter(Boolean);
  return {
    ...(spelling === "number"
      ? { type: "integer", format: "int32", enum: names.map(Number) }
      : { type: "string", enum: names }),
    ...(description.length > 0 && { description: description.join("\n\n") }),
  };
}

/** Describes the values of an enum as a list in CommonMark. Returns undefined if the values are names and none of them has a comment. */
export function describeEnumValues(
  desc: DescEnum,
  use: EnumUse,
  spelling: EnumSpelling,
  comments: ProtoComments,
): string | undefined {
  const names = listEnumNames(desc, use, spelling);
  const lines = desc.values.flatMap((value) => {
    const name = spellEnumValue(value, spelling);
    const comment = comments.find(value);
    if (!names.includes(name)) return [];
    if (spelling === "number") return `- \`${name}\`: \`${value.name}\`${comment === undefined ? "" : `. ${comment}`}`;
    if (comment === undefined) return [];
    return comment.startsWith(`\`${name}\``) ? `- ${comment}` : `- \`${name}\`: ${comment}`;
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}
