import { type DescEnum, type DescField, getOption, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { isJsonNumber } from "../decode/json-number.js";
import { example as exampleOption } from "../gen/transcoding/v1/example_pb.js";
import { listDocumentedEnumNames, mapEnumNames, spellEnumValue } from "../values/enum-spelling.js";
import { findIntegerType, type IntegerType } from "../values/integer-type.js";
import type { JsonForm } from "./schema-use.js";

/**
 * Finds the example value of a field in the proto (`transcoding.v1.example`), in its JSON form. Returns undefined if there is
 * none. Throws an Error if the text is not a value of the field.
 */
export function findFieldExample(field: DescField, json: JsonForm): JsonValue | undefined {
  const text = getOption(field, exampleOption);
  if (text === "") return undefined;
  const value = readValue(field, text, json);
  if (value !== undefined) return wrapInContainer(field, value);
  throw new Error(`${field.parent.typeName}.${field.name}: example "${text}" is no value of the field`);
}

/** Creates a value for a field without an example. Returns undefined for a message that is an object of its fields. */
export function inventFieldExample(field: DescField, json: JsonForm): JsonValue | undefined {
  const value = inventValue(field, json);
  return value === undefined ? undefined : wrapInContainer(field, value);
}

/** Puts a value into a list or a map if the field is one. */
export function wrapInContainer(field: DescField, value: JsonValue): JsonValue {
  if (field.fieldKind === "list") return [value];
  return field.fieldKind === "map" ? { [exampleKey(field.mapKey)]: value } : value;
}

function exampleKey(scalar: ScalarType): string {
  return scalar === ScalarType.STRING ? "key" : scalar === ScalarType.BOOL ? "true" : "1";
}

/** The scalar type of a field, or of the value in its wrapper. */
function scalarOf(field: DescField): ScalarType | undefined {
  const { message } = field;
  return message !== undefined && isWrapperDesc(message) ? message.fields[0].scalar : field.scalar;
}

function readValue(field: DescField, text: string, json: JsonForm): JsonValue | undefined {
  if (field.enum !== undefined) return readEnum(field.enum, text, json);
  const scalar = scalarOf(field);
  if (scalar === undefined || scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return text;
  if (scalar === ScalarType.BOOL) return text === "true" || text === "false" ? text === "true" : undefined;
  if (!isJsonNumber(text)) return undefined;
  const integer = findIntegerType(scalar);
  return integer === undefined ? Number(text) : readInteger(text, integer, json);
}

function readInteger(text: string, { min, max, long }: IntegerType, { int64 }: JsonForm): JsonValue | undefined {
  const isInRange = /^-?\d+$/.test(text) && BigInt(text) >= min && BigInt(text) <= max;
  return isInRange ? (long && int64 !== "number" ? text : Number(text)) : undefined;
}

function readEnum(desc: DescEnum, text: string, json: JsonForm): JsonValue | undefined {
  const number = mapEnumNames(desc).get(text);
  const value = desc.values.find((each) => each.number === number);
  if (json.enums === "number") return value?.number;
  return value && spellEnumValue(value, json.enums ?? "full");
}

const WELL_KNOWN: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["google.protobuf.Timestamp", "2006-01-02T15:04:05Z"],
  ["google.protobuf.Duration", "1.5s"],
  ["google.protobuf.FieldMask", "name"],
  ["google.protobuf.Struct", {}],
  ["google.protobuf.ListValue", []],
  ["google.protobuf.Value", "value"],
  ["google.protobuf.Any", {}],
]);

function inventValue(field: DescField, json: JsonForm): JsonValue | undefined {
  if (field.enum !== undefined) {
    return field.enum.typeName === "google.protobuf.NullValue" ? null : inventEnum(field.enum, json);
  }
  const scalar = scalarOf(field);
  return scalar === undefined ? WELL_KNOWN.get(field.message?.typeName ?? "") : inventScalar(scalar, field.name, json);
}

function inventEnum(desc: DescEnum, json: JsonForm): JsonValue {
  const name = listDocumentedEnumNames(desc, json.enums ?? "full")[0] ?? "";
  return json.enums === "number" ? Number(name) : name;
}

function inventScalar(scalar: ScalarType, name: string, { int64 }: JsonForm): JsonValue {
  const integer = findIntegerType(scalar);
  if (integer !== undefined) return integer.long && int64 !== "number" ? "1" : 1;
  switch (scalar) {
    case ScalarType.BOOL:
      return true;
    case ScalarType.BYTES:
      return "Ynl0ZXM=";
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return 0.5;
    default:
      return name;
  }
}
