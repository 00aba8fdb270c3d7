import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { findIntegerType, parseCanonicalInteger } from "../values/integer-type.js";
import { createMessageFieldGetter, fieldAcceptsNull, hasFieldPresence, isObject } from "../values/untyped-message.js";
import { throwInvalidFieldValue } from "./encode-scalar.js";
import { createValueEncoder } from "./encode-value.js";
import type { FieldEncoder, MessageEncoders, ValueEncoder } from "./encoders.js";
import { sliceList } from "./sliced-list.js";

/** Creates the encoder for a field's value as a member of a JSON object. The option `unset` decides whether an unset field is written. */
export function createFieldEncoder(field: DescField, encoders: MessageEncoders): FieldEncoder {
  const get = createMessageFieldGetter(field);
  const encode = createFieldContentEncoder(field, encoders) as (value: unknown) => string;
  const always = encoders.options.unset === "null";
  if (hasFieldPresence(field)) {
    const unset = createUnset(field, always);
    return (message) => {
      const value = get(message);
      return value === undefined ? unset() : encode(value);
    };
  }
  if (always) {
    return (message) => encode(get(message));
  }
  const isDefault = createDefaultCheck(field);
  return (message) => {
    const value = get(message);
    return isDefault(value) ? undefined : encode(value);
  };
}

/** Creates the encoder for the complete value of a set field: an array for a list, an object for a map. */
export function createFieldContentEncoder(field: DescField, encoders: MessageEncoders): ValueEncoder {
  const encode = createValueEncoder(field, encoders) as (value: unknown) => string;
  switch (field.fieldKind) {
    case "list":
      return (list: readonly unknown[]) =>
        Array.isArray(list) ? encodeList(list, encode) : throwInvalidFieldValue(field, list);
    case "map": {
      const isKey = createKeyCheck(field.mapKey);
      return (map: Readonly<Record<string, unknown>>) =>
        isObject(map) && (isKey === undefined || Object.keys(map).every(isKey))
          ? encodeMap(map, encode)
          : throwInvalidFieldValue(field, map);
    }
    default:
      return encode;
  }
}

/** Creates the encoder that writes a long list in `field` as a JSON array, in pieces. */
export function createListPieceEncoder(field: DescField, encoders: MessageEncoders) {
  const encode = createValueEncoder(field, encoders) as (value: unknown) => string;
  return function* (list: readonly unknown[]): Iterable<string> {
    let before = "[";
    for (const slice of sliceList(list)) {
      yield before + encodeList(slice, encode).slice(1, -1);
      before = ",";
    }
    yield "]";
  };
}

function encodeList(list: readonly unknown[], encode: (value: unknown) => string): string {
  let text = "[";
  for (let index = 0; index < list.length; index++) {
    text += index === 0 ? encode(list[index]) : `,${encode(list[index])}`;
  }
  return `${text}]`;
}

function encodeMap(map: Readonly<Record<string, unknown>>, encode: (value: unknown) => string): string {
  let text = "";
  for (const key of Object.keys(map)) {
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${encode(map[key])}`;
  }
  return `{${text}}`;
}

/** Creates the function that reports whether a property name is a valid map key. Returns undefined if all property names are valid keys. */
function createKeyCheck(scalar: ScalarType): ((key: string) => boolean) | undefined {
  if (scalar === ScalarType.BOOL) return (key) => key === "true" || key === "false";
  const type = findIntegerType(scalar);
  if (type === undefined) return undefined;
  return (key) => {
    const integer = parseCanonicalInteger(key);
    return integer !== undefined && integer >= type.min && integer <= type.max;
  };
}

function createUnset(field: DescField, always: boolean): () => string | undefined {
  if (field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED) {
    return () => {
      throw new Error(`${field.parent.typeName}.${field.name} is required and not set`);
    };
  }
  // Writes no null for a member of a oneof, because null would select the member. Writes no null for `Value` and `NullValue`, because null is one of
  // their values.
  const text = always && field.oneof === undefined && !fieldAcceptsNull(field) ? "null" : undefined;
  return () => text;
}

/** Creates the function that reports whether a value is the field's default: empty, zero (but not -0), or the first enum value. */
function createDefaultCheck(field: DescField): (value: unknown) => boolean {
  switch (field.fieldKind) {
    case "list":
      return (value) => (value as readonly unknown[]).length === 0;
    case "map":
      return (value) => isObject(value) && Object.keys(value).length === 0;
    case "enum": {
      const first = field.enum.values[0]?.number;
      return (value) => value === first;
    }
    case "scalar":
      return createScalarDefaultCheck(field.scalar, field.longAsString);
    default:
      return () => false;
  }
}

function createScalarDefaultCheck(scalar: ScalarType, longAsString: boolean): (value: unknown) => boolean {
  if (scalar === ScalarType.BYTES) {
    return (value) => (value as Uint8Array).length === 0;
  }
  const zero = scalarZeroValue(scalar, longAsString);
  return (value) => Object.is(value, zero);
}
