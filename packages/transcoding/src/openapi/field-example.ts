import { type DescField, type DescMessage, getOption, hasOption, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { createFieldTextParser } from "../decode/text-parser.js";
import { getJsonBodyEncoders } from "../encode/encode-message.js";
import { createValueEncoder } from "../encode/encode-value.js";
import { example as exampleOption } from "../gen/transcoding/v1/example_pb.js";
import { isUnspecifiedEnumValue } from "../values/enum-spelling.js";
import { createWeakCache } from "../values/weak-cache.js";
import type { JsonOptions } from "./schema-use.js";

/** Whether a field has the option `transcoding.v1.example`, which is an example value. */
export function hasFieldExample(field: DescField): boolean {
  return exampleTextOf(field) !== "";
}

// Checks for the option first and caches the result, because `getOption` creates messages even for a field without the option.
const exampleTextOf = createWeakCache((field: DescField) =>
  hasOption(field, exampleOption) ? getOption(field, exampleOption) : "",
);

/** Returns a field's `transcoding.v1.example` as JSON; undefined if it has none. Throws an Error if the example is not a valid value of the field. */
export function findFieldExample(field: DescField, json: JsonOptions): JsonValue | undefined {
  return hasFieldExample(field) ? getExamples(json)(field) : undefined;
}

/** Returns a field's example. If it has none, invents one, or returns undefined for a message whose JSON is an object of its fields. */
export function findOrInventExample(field: DescField, json: JsonOptions): JsonValue | undefined {
  return getExamples(json)(field);
}

const getExamples = createWeakCache((json: JsonOptions) =>
  createWeakCache((field: DescField) => {
    const text = exampleTextOf(field) || inventText(field);
    if (text !== undefined && isObject(field)) return JSON.parse(text);
    const value = text === undefined ? STRUCTURES.get(field.message?.typeName ?? "") : toJson(field, text, json);
    return value === undefined ? undefined : wrapExampleValue(field, value);
  }),
);

/** Whether a field's type is a message whose JSON is an object of its fields. The text of its example is then JSON. */
function isObject({ message }: DescField): boolean {
  return message !== undefined && !message.typeName.startsWith("google.protobuf.");
}

export function wrapExampleValue(field: DescField, value: JsonValue): JsonValue {
  if (field.fieldKind === "list") return [value];
  return field.fieldKind === "map" ? { [exampleKey(field.mapKey)]: value } : value;
}

function exampleKey(scalar: ScalarType): string {
  return scalar === ScalarType.STRING ? "key" : scalar === ScalarType.BOOL ? "true" : "1";
}

/** Converts the text of an example to the JSON value that a response would contain. */
function toJson(field: DescField, text: string, json: JsonOptions): JsonValue {
  const value = createFieldTextParser(field, json)?.parse(text);
  if (value !== undefined) return JSON.parse(createValueEncoder(field, getJsonBodyEncoders(json))(value as never));
  throw new Error(`${field.parent.typeName}.${field.name}: example "${text}" is not a valid value of the field`);
}

/** Invents an example value, as text. Returns undefined for a message type that cannot be written as a single string. */
function inventText({ enum: desc, message, name, scalar }: DescField): string | undefined {
  if (desc !== undefined) return (desc.values.find((value) => !isUnspecifiedEnumValue(value)) ?? desc.values[0])?.name;
  if (message !== undefined && !isWrapperDesc(message)) return TEXTS.get(message.typeName);
  const type = message?.fields[0]?.scalar ?? scalar;
  return type === ScalarType.STRING ? name : (SCALARS.get(type) ?? "1");
}

const SCALARS: ReadonlyMap<ScalarType | undefined, string> = new Map([
  [ScalarType.BOOL, "true"],
  [ScalarType.BYTES, "Ynl0ZXM="],
  [ScalarType.FLOAT, "0.5"],
  [ScalarType.DOUBLE, "0.5"],
]);

/** Returns an example of a well-known type with a special JSON form. Undefined for all other message types. */
export function createWellKnownExample(desc: DescMessage, json: JsonOptions): JsonValue | undefined {
  if (isWrapperDesc(desc)) return findOrInventExample(desc.fields[0], json);
  return TEXTS.get(desc.typeName) ?? STRUCTURES.get(desc.typeName);
}

const TEXTS: ReadonlyMap<string, string> = new Map([
  ["google.protobuf.Timestamp", "2006-01-02T15:04:05Z"],
  ["google.protobuf.Duration", "1.5s"],
  ["google.protobuf.FieldMask", "name"],
]);

const STRUCTURES: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["google.protobuf.Struct", {}],
  ["google.protobuf.ListValue", []],
  ["google.protobuf.Value", "value"],
  ["google.protobuf.Any", {}],
]);
