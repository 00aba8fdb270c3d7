import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { findWellKnownJsonKind } from "./well-known-json.js";

/** A path from a message to a field in it or in a nested message. All fields except the last one are singular message fields. */
export type FieldPath = readonly [DescField, ...DescField[]];

/** Thrown for a field path in a rule that names no field, or a field of an unsuitable kind. The message says how to correct the path. */
export class FieldPathError extends Error {
  override readonly name = "FieldPathError";
}

/** Finds a field by its proto name. Returns undefined if the message has no such field. */
export function findFieldByProtoName(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find((field) => field.name === name);
}

/** Finds a field by its proto name or its JSON name. Returns undefined if the message has no such field. */
export function findFieldByAnyName(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find((field) => field.name === name || field.jsonName === name);
}

export function getLastField(path: FieldPath): DescField {
  return path.at(-1) ?? path[0];
}

/**
 * Finds the fields that a dotted path of proto names consists of. Every field except the last one must be a singular message field (AIP-127) whose
 * type has no special JSON form, as a Timestamp has.
 *
 * @throws FieldPathError
 */
export function requireFieldPath(message: DescMessage, text: string): FieldPath {
  const names = text.split(".");
  let parent = message;
  const path = names.map((name, index) => {
    const field = findFieldByProtoName(parent, name);
    if (field === undefined)
      throw new FieldPathError(`${parent.typeName} has no field "${name}"; correct the path "${text}"`);
    if (index < names.length - 1) parent = requireParent(field, text);
    return field;
  });
  return path as unknown as FieldPath;
}

/**
 * Like `requireFieldPath`, but the last field must be a singular scalar or enum field. For path variables, google/api/http.proto requires "a
 * non-repeated field with a primitive (non-message) type", which excludes wrappers and Timestamps.
 *
 * @throws FieldPathError
 */
export function requirePrimitiveFieldPath(message: DescMessage, text: string): FieldPath {
  const path = requireFieldPath(message, text);
  const kind = describeFieldKind(getLastField(path));
  if (kind !== undefined) throw new FieldPathError(`"${text}" is ${kind}; name a singular scalar or enum field`);
  return path;
}

/** Formats a field path as proto names separated by dots, such as `book.name`. */
export function formatFieldPath(path: readonly DescField[]): string {
  return path.map((field) => field.name).join(".");
}

function requireParent(field: DescField, text: string): DescMessage {
  if (field.fieldKind !== "message") {
    throw new FieldPathError(`"${field.name}" in "${text}" is not a singular message, so it has no fields`);
  }
  if (findWellKnownJsonKind(field.message) !== undefined) {
    throw new FieldPathError(`"${field.name}" in "${text}" is a single value in JSON, so its fields cannot be named`);
  }
  return field.message;
}

/** Describes the kind of a field that is not a singular scalar or enum, such as `a map`. Returns undefined for all other fields. */
export function describeFieldKind({ fieldKind }: DescField): string | undefined {
  return KINDS[fieldKind];
}

const KINDS = { scalar: undefined, enum: undefined, list: "repeated", map: "a map", message: "a message" } as const;
