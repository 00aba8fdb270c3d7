import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { findWellKnownJson } from "./well-known-json.js";

/** A path from a message to a field. All fields but the last are singular message fields. */
export type FieldPath = readonly [DescField, ...DescField[]];

/** Thrown for a field path that does not exist, or that cannot be used where it is given. The message says how to fix it. */
export class FieldPathError extends Error {
  override readonly name = "FieldPathError";
}

/** Finds a field by its proto name. Returns undefined if the message has no such field. */
export function findField(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find((field) => field.name === name);
}

/** Finds a field by its proto name or its JSON name. Returns undefined if the message has no such field. */
export function findNamedField(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find((field) => field.name === name || field.jsonName === name);
}

export function lastField(path: FieldPath): DescField {
  return path.at(-1) ?? path[0];
}

/**
 * Resolves a dotted path of proto field names. The path must not pass through a repeated field or a map (AIP-127), or through
 * a message with a special JSON form, such as a Timestamp.
 *
 * @throws FieldPathError
 */
export function requireFieldPath(message: DescMessage, text: string): FieldPath {
  const names = text.split(".");
  let parent = message;
  const path = names.map((name, index) => {
    const field = findField(parent, name);
    if (field === undefined) throw new FieldPathError(`${parent.typeName} has no field "${name}"; correct "${text}"`);
    if (index < names.length - 1) parent = requireParent(field, text);
    return field;
  });
  return path as unknown as FieldPath;
}

/**
 * Resolves a dotted path to a singular scalar or enum field. google/api/http.proto requires that for path variables: "a
 * non-repeated field with a primitive (non-message) type", which excludes wrappers and Timestamps.
 *
 * @throws FieldPathError
 */
export function requirePrimitiveField(message: DescMessage, text: string): FieldPath {
  const path = requireFieldPath(message, text);
  const kind = describeKind(lastField(path));
  if (kind !== undefined) throw new FieldPathError(`"${text}" is ${kind}; name a singular scalar or enum field`);
  return path;
}

/** Formats a field path: the proto names with dots between them, such as `book.name`. */
export function formatFieldPath(path: readonly DescField[]): string {
  return path.map((field) => field.name).join(".");
}

function requireParent(field: DescField, text: string): DescMessage {
  if (field.fieldKind !== "message") {
    throw new FieldPathError(`"${field.name}" in "${text}" is not a singular message, so it has no fields`);
  }
  if (findWellKnownJson(field.message) !== undefined) {
    throw new FieldPathError(`"${field.name}" in "${text}" is a single value in JSON, so its fields cannot be named`);
  }
  return field.message;
}

/** Describes the kind of a field. Returns undefined for a singular scalar or enum. */
export function describeKind({ fieldKind }: DescField): string | undefined {
  return KINDS[fieldKind];
}

const KINDS = { scalar: undefined, enum: undefined, list: "repeated", map: "a map", message: "a message" } as const;
