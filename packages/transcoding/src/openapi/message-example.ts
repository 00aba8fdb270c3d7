import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type BoundFields, isUnbound, NOTHING_BOUND } from "../rules/bound-fields.js";
import { isRequired } from "./field-behavior.js";
import { createExampleContent, hasFieldExample, wrapInContainer } from "./field-example.js";
import { isNullable, type JsonForm, memberName, type SchemaUse } from "./schema-use.js";

/**
 * Creates an example of a message from the examples of its fields. A request has the required fields and those with an example.
 * A response has all fields, and the first member of each oneof.
 *
 * @param bound the fields that the path binds, which the example omits.
 */
export function createMessageExample(
  desc: DescMessage,
  use: SchemaUse,
  json: JsonForm,
  bound: BoundFields = NOTHING_BOUND,
): JsonObject {
  return createObject(desc, bound, { use, json, ancestors: [desc] });
}

/** Creates an example of a field that is the whole body. */
export function createFieldExample(
  field: DescField,
  use: SchemaUse,
  json: JsonForm,
  bound: BoundFields = NOTHING_BOUND,
): JsonValue {
  return createValue(field, bound, { use, json, ancestors: [] }) ?? null;
}

interface Making {
  readonly use: SchemaUse;
  readonly json: JsonForm;
  /** The enclosing message types, used to stop at recursion. */
  readonly ancestors: readonly DescMessage[];
}

function createObject(desc: DescMessage, bound: BoundFields, making: Making): JsonObject {
  const { use, json } = making;
  const members: [string, JsonValue][] = [];
  for (const field of desc.fields) {
    if (!isUnbound(field, bound) || !isShown(field, making)) continue;
    const value = createValue(field, bound.get(field) ?? NOTHING_BOUND, making);
    if (value !== undefined) members.push([memberName(field, json), value]);
    else if (isNullable(field, use, json) && use.direction === "response")
      members.push([memberName(field, json), null]);
  }
  return Object.fromEntries(members);
}

function isShown(field: DescField, { use }: Making): boolean {
  if (use.direction === "response") return field.oneof === undefined || field.oneof.fields[0] === field;
  return isRequired(field) || hasExample(field, []);
}

function hasExample(field: DescField, ancestors: readonly DescMessage[]): boolean {
  if (hasFieldExample(field)) return true;
  const { message } = field;
  if (message === undefined || ancestors.includes(message)) return false;
  return message.fields.some((each) => hasExample(each, [...ancestors, message]));
}

/** Returns undefined for a recursive message. */
function createValue(field: DescField, bound: BoundFields, making: Making): JsonValue | undefined {
  const known = createExampleContent(field, making.json);
  const { message } = field;
  if (known !== undefined || message === undefined) return known;
  if (making.ancestors.includes(message)) {
    return field.fieldKind === "list" ? [] : field.fieldKind === "map" ? {} : undefined;
  }
  return wrapInContainer(field, createObject(message, bound, { ...making, ancestors: [...making.ancestors, message] }));
}
