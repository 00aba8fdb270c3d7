import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { findIntegerType, parseCanonicalInteger } from "../values/integer-type.js";
import { acceptsNull, createGetter, hasPresence, isObject } from "../values/local-message.js";
import { throwInvalidValue } from "./encode-scalar.js";
import { createValueEncoder } from "./encode-value.js";
import type { FieldEncoder, MessageEncoders, ValueEncoder } from "./encoders.js";
import { sliceList } from "./sliced-list.js";

/** Creates the encoder for a field as a member of its object. The option `unset` decides whether unset fields are written. */
export function createFieldEncoder(field: DescField, encoders: MessageEncoders): FieldEncoder {
  const get = createGetter(field);
  const encode = createContentEncoder(field, encoders) as (value: unknown) => string;
  const always = encoders.options.unset === "null";
  if (hasPresence(field)) {
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

/** Creates the encoder for the content of a set field: a value, an array, or an object. */
export function createContentEncoder(field: DescField, encoders: MessageEncoders): ValueEncoder {
  const encode = createValueEncoder(field, encoders) as (value: unknown) => string;
  switch (field.fieldKind) {
    case "list":
      return (list: readonly unknown[]) =>
        Array.isArray(list) ? encodeList(list, encode) : throwInvalidValue(field, list);
    case "map": {
      const isKey = createKeyCheck(field.mapKey);
      return (map: Readonly<Record<string, unknown>>) =>
        isObject(map) && (isKey === undefined || Object.keys(map).every(isKey))
          ? encodeMap(map, encode)
          : throwInvalidValue(field, map);
    }
    default:
      return encode;
  }
}

/** Creates the function that writes a long list of `field` as the pieces of a JSON array. */
export function createListPieces(field: DescField, encoders: MessageEncoders) {
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

/** Creates the function that reports whether a property name is a valid map key. Returns undefined if all names are valid. */
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
  // Null would select a member of a oneof, and is a value of its own for `Value` and `NullValue`.
  const text = always && field.oneof === undefined && !acceptsNull(field) ? "null" : undefined;
  return () => text;
}

/** ProtoJSON omits fields without presence that have their default value: empty, zero (but not -0), the first enum value. */
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
