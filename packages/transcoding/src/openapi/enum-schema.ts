import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import type { HttpRule } from "../rules/http-rule.js";
import { type EnumSpelling, isUnspecified, listDocumentedEnumNames, spellEnumValue } from "../values/enum-spelling.js";
import { hasPresence } from "../values/local-message.js";
import { isRequired } from "./field-behavior.js";
import type { ProtoComments } from "./proto-comments.js";
import type { Schema } from "./schema.js";
import { type JsonOptions, PARAMETER_USE, RESPONSE_USE, type SchemaUse } from "./schema-use.js";

/**
 * Which values of an enum a field can have. `request` includes aliases, and `response` has one name for each number. `unspecified` is a
 * response whose field can also have the zero value named `…UNSPECIFIED`.
 */
export type EnumUse = "request" | "response" | "unspecified";

/** Finds which values of its enum a field can have. A response has the unspecified value only if the field can be unset. */
export function findEnumUse(field: DescField, { direction }: SchemaUse, json: JsonOptions): EnumUse {
  if (direction === "request") return "request";
  const mayBeUnset = field.fieldKind !== "enum" || hasPresence(field) || json.unset === "null";
  return mayBeUnset && !isRequired(field) ? "unspecified" : "response";
}

/** Lists the names or numbers of an enum's values, in the order of the proto. */
export function listEnumNames(desc: DescEnum, use: EnumUse, spelling: EnumSpelling): readonly string[] {
  if (use === "request") return listDocumentedEnumNames(desc, spelling);
  const numbers = new Set<number>();
  return desc.values
    .filter(({ number }) => !numbers.has(number) && numbers.add(number))
    .filter((value) => use === "unspecified" || !isUnspecified(value))
    .map((value) => spellEnumValue(value, spelling));
}

/** The suffix of a component's name, after the name of its enum. */
export type EnumSuffix = "" | "Input" | "OrUnspecified";

/** Returns the suffix for an enum in a use. It is empty if the values are those of responses. */
export function findEnumSuffix(desc: DescEnum, use: EnumUse, spelling: EnumSpelling): EnumSuffix {
  const [names, returned] = [use, "response" as const].map((each) => listEnumNames(desc, each, spelling).join());
  if (names === returned) return "";
  return use === "request" ? "Input" : "OrUnspecified";
}

/** Finds the suffixes of all enums in rules, and in messages `written` like responses. An enum with only one suffix is named without it. */
export function findEnumSuffixes(
  rules: readonly HttpRule[],
  written: readonly DescMessage[],
  json: JsonOptions,
): ReadonlyMap<DescEnum, ReadonlySet<EnumSuffix>> {
  const found = new Map<DescEnum, Set<EnumSuffix>>();
  const add = (desc: DescEnum, use: EnumUse) => {
    found.set(desc, (found.get(desc) ?? new Set()).add(findEnumSuffix(desc, use, json.enums ?? "full")));
  };
  for (const use of [PARAMETER_USE, RESPONSE_USE]) {
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
      if (use === PARAMETER_USE) visit(rpc.input);
      else if (responseBody === undefined) visit(rpc.output);
      else if (responseBody.message !== undefined) visit(responseBody.message);
      else if (responseBody.enum !== undefined) add(responseBody.enum, "unspecified");
    }
    if (use === RESPONSE_USE) for (const desc of written) visit(desc);
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

/** Describes the values of an enum, as a list. Returns undefined if they are names and none has a comment. */
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
