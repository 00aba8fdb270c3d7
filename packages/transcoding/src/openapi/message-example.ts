import type { DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { type BoundFields, isUnbound, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { isRequired } from "./field-behavior.js";
import { createExampleContent, createWellKnownExample, hasFieldExample, wrapInContainer } from "./field-example.js";
import { isNullable, type JsonOptions, memberName, type SchemaUse } from "./schema-use.js";

/**
 * Creates an example of a message from the examples of its fields. A request has the required fields and those with an example. A response
 * has all fields, and the first member of each oneof.
 *
 * @param bound the fields that the path binds, which the example omits.
 * @param ancestors the message type and the types that contain it, used to stop at recursion.
 */
export function createMessageExample(
  desc: DescMessage,
  use: SchemaUse,
  json: JsonOptions,
  bound: BoundFields = NO_BOUND_FIELDS,
  ancestors: readonly DescMessage[] = [desc],
): JsonValue {
  const known = createWellKnownExample(desc, json);
  if (known !== undefined) return known;
  const fields = desc.fields.filter((field) => isUnbound(field, bound) && isShown(field, use));
  const members = fields.map((field) => {
    const value = createValue(field, use, json, bound.get(field), ancestors);
    const isNull = value === undefined && use.direction === "response" && isNullable(field, use, json);
    return [memberName(field, json), isNull ? null : value] as const;
  });
  return Object.fromEntries(members.filter((member): member is [string, JsonValue] => member[1] !== undefined));
}

/** Creates an example of a field that is the whole body. */
export function createFieldExample(
  field: DescField,
  use: SchemaUse,
  json: JsonOptions,
  bound?: BoundFields,
): JsonValue {
  return createValue(field, use, json, bound, []) ?? null;
}

function isShown(field: DescField, use: SchemaUse): boolean {
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
function createValue(
  field: DescField,
  use: SchemaUse,
  json: JsonOptions,
  bound: BoundFields | undefined,
  ancestors: readonly DescMessage[],
): JsonValue | undefined {
  const known = createExampleContent(field, json);
  const { message } = field;
  if (known !== undefined || message === undefined) return known;
  if (ancestors.includes(message)) {
    return field.fieldKind === "list" ? [] : field.fieldKind === "map" ? {} : undefined;
  }
  return wrapInContainer(field, createMessageExample(message, use, json, bound, [...ancestors, message]));
}
