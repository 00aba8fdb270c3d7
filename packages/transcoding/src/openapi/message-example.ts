import type { DescField, DescMessage, JsonValue } from "@bufbuild/protobuf";
import { type BoundFields, isUnboundField, NO_BOUND_FIELDS } from "../rules/bound-fields.js";
import { isRequiredField } from "./field-behavior.js";
import { createWellKnownExample, findOrInventExample, hasFieldExample, wrapExampleValue } from "./field-example.js";
import { getJsonFieldName, isNullableField, type JsonOptions, type SchemaUse } from "./schema-use.js";

/**
 * Creates an example of a message from the examples of its fields. In a request, it contains the required fields and the fields that have an example.
 * In a response, it contains all fields, but only the first member of each oneof.
 *
 * @param bound the fields that the path binds. The example omits them.
 * @param ancestors the message's type, and the types of the messages that contain it, for stopping at a recursion.
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
  const fields = desc.fields.filter((field) => isUnboundField(field, bound) && isShown(field, use));
  const members = fields.map((field) => {
    const value = createValue(field, use, json, bound.get(field), ancestors);
    const isNull = value === undefined && use.direction === "response" && isNullableField(field, use, json);
    return [getJsonFieldName(field, json), isNull ? null : value] as const;
  });
  return Object.fromEntries(members.filter((member): member is [string, JsonValue] => member[1] !== undefined));
}

/** Creates an example of a body that is the value of one field. */
export function createFieldBodyExample(
  field: DescField,
  use: SchemaUse,
  json: JsonOptions,
  bound?: BoundFields,
): JsonValue {
  return createValue(field, use, json, bound, []) ?? null;
}

function isShown(field: DescField, use: SchemaUse): boolean {
  if (use.direction === "response") return field.oneof === undefined || field.oneof.fields[0] === field;
  return isRequiredField(field) || hasExample(field, []);
}

function hasExample(field: DescField, ancestors: readonly DescMessage[]): boolean {
  if (hasFieldExample(field)) return true;
  const { message } = field;
  if (message === undefined || ancestors.includes(message)) return false;
  return message.fields.some((each) => hasExample(each, [...ancestors, message]));
}

/**
 * Creates an example of a field's value. If the field's message type is already among the ancestors, the example ends: a list or map is empty, and
 * any other field is undefined.
 */
function createValue(
  field: DescField,
  use: SchemaUse,
  json: JsonOptions,
  bound: BoundFields | undefined,
  ancestors: readonly DescMessage[],
): JsonValue | undefined {
  const known = findOrInventExample(field, json);
  const { message } = field;
  if (known !== undefined || message === undefined) return known;
  if (ancestors.includes(message)) {
    return field.fieldKind === "list" ? [] : field.fieldKind === "map" ? {} : undefined;
  }
  return wrapExampleValue(field, createMessageExample(message, use, json, bound, [...ancestors, message]));
}
