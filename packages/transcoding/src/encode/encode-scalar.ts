import { type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { spellEnumValue } from "../values/enum-spelling.js";
import { type FloatConverter, toDouble, toFloat } from "../values/float-value.js";
import { findIntegerType, INT32, type IntegerType, parseCanonicalInteger } from "../values/integer-type.js";
import type { EncodeOptions } from "./encode-options.js";
import type { ValueEncoder } from "./encoders.js";

/** Encoding throws an Error for a value of the wrong type, because the compiler cannot keep a handler from returning one. */
export function createScalarEncoder(field: DescField, scalar: ScalarType, options: EncodeOptions): ValueEncoder {
  switch (scalar) {
    case ScalarType.STRING:
      return createStringEncoder(field);
    case ScalarType.BOOL:
      return createBooleanEncoder(field);
    case ScalarType.BYTES:
      return createBytesEncoder(field);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return createFloatEncoder(field, scalar === ScalarType.FLOAT ? toFloat : toDouble);
  }
  const type = findIntegerType(scalar) ?? INT32;
  return type.long
    ? createLongEncoder(field, type, options.int64 === "number" ? "" : '"')
    : createIntegerEncoder(field, type);
}

/** Creates the encoder for an enum. A number without a name is written as a number, and `NullValue` as null. */
export function createEnumEncoder(field: DescField, desc: DescEnum, options: EncodeOptions): ValueEncoder {
  if (desc.typeName === "google.protobuf.NullValue") {
    return (number: number) => (number === 0 ? "null" : throwInvalidValue(field, number));
  }
  const encodeNumber = createIntegerEncoder(field, INT32);
  const texts = new Map(
    // The first name of a number is written; the others are aliases.
    desc.values.toReversed().map((value) => {
      const name = spellEnumValue(value, options.enums ?? "full");
      return [value.number, options.enums === "number" ? name : JSON.stringify(name)];
    }),
  );
  return (number: number) => texts.get(number) ?? encodeNumber(number);
}

/** Characters that JSON requires to be escaped, and all surrogates: JSON.stringify escapes unpaired ones. */
const MAY_NEED_ESCAPE = /[^\u0020\u0021\u0023-\u005b\u005d-\ud7ff\ue000-\uffff]/;

function createStringEncoder(field: DescField): ValueEncoder {
  return (value: string) => {
    if (typeof value !== "string") return throwInvalidValue(field, value);
    // The test is faster than JSON.stringify, and few strings need an escape.
    return MAY_NEED_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  };
}

function createBooleanEncoder(field: DescField): ValueEncoder {
  return (value: boolean) => (value === true ? "true" : value === false ? "false" : throwInvalidValue(field, value));
}

function createBytesEncoder(field: DescField): ValueEncoder {
  return (value: Uint8Array) =>
    value instanceof Uint8Array ? `"${base64Encode(value)}"` : throwInvalidValue(field, value);
}

function createFloatEncoder(field: DescField, convert: FloatConverter): ValueEncoder {
  return (value: number) => {
    if (typeof value !== "number") return throwInvalidValue(field, value);
    if (!Number.isFinite(value)) return `"${value}"`;
    if (convert(value) === undefined) return throwInvalidValue(field, value);
    return Object.is(value, -0) ? "-0" : `${value}`;
  };
}

/** Accepts bigints, numbers and decimal strings, as the binary format of protobuf-es does. */
function createLongEncoder(field: DescField, { min, max }: IntegerType, quote: string): ValueEncoder {
  return (value: bigint | number | string) => {
    const integer = typeof value === "bigint" ? value : parseLong(value);
    return integer !== undefined && integer >= min && integer <= max
      ? `${quote}${integer}${quote}`
      : throwInvalidValue(field, value);
  };
}

function parseLong(value: number | string): bigint | undefined {
  if (typeof value === "string") return parseCanonicalInteger(value);
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function createIntegerEncoder(field: DescField, type: IntegerType): (value: number) => string {
  // A bitwise operation leaves exactly the 32-bit integers unchanged.
  return type.min === 0n
    ? (value: number) => (value >>> 0 === value ? `${value}` : throwInvalidValue(field, value))
    : (value: number) => ((value | 0) === value ? `${value}` : throwInvalidValue(field, value));
}

export function throwInvalidValue(field: DescField, value: unknown): never {
  throw new Error(`${field.parent.typeName}.${field.name} cannot be ${describeValue(value)}`);
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MAX_SHOWN));
  return typeof value === "object" || typeof value === "function"
    ? Object.prototype.toString.call(value)
    : String(value);
}

/** Maximum number of characters of an invalid string that an error shows. */
const MAX_SHOWN = 40;
