import { type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { spellEnumValue } from "../values/enum-spelling.js";
import { type FloatConverter, toDouble, toFloat } from "../values/float-value.js";
import { findIntegerType, INT32_TYPE, type IntegerType, parseCanonicalInteger } from "../values/integer-type.js";
import type { EncodeOptions } from "./encode-options.js";
import type { ValueEncoder } from "./encoders.js";

/** Creates the encoder for a scalar. It throws an Error for a value of the wrong type, which a handler could return despite the compiler's checks. */
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
  const type = findIntegerType(scalar) ?? INT32_TYPE;
  return type.long
    ? createLongEncoder(field, type, options.int64 === "number" ? "" : '"')
    : createIntegerEncoder(field, type);
}

/** Creates the encoder for an enum. It writes an enum number without a name as a JSON number, and `NullValue` as null. */
export function createEnumEncoder(field: DescField, desc: DescEnum, options: EncodeOptions): ValueEncoder {
  if (desc.typeName === "google.protobuf.NullValue") {
    return (number: number) => (number === 0 ? "null" : throwInvalidFieldValue(field, number));
  }
  const encodeNumber = createIntegerEncoder(field, INT32_TYPE);
  const texts = new Map(
    // Reversed, so that the first name of an enum number overwrites its aliases in the map.
    desc.values.toReversed().map((value) => {
      const name = spellEnumValue(value, options.enums ?? "full");
      return [value.number, options.enums === "number" ? name : JSON.stringify(name)];
    }),
  );
  return (number: number) => texts.get(number) ?? encodeNumber(number);
}

/** Matches characters that JSON requires to be escaped, and all surrogates, because JSON.stringify escapes unpaired surrogates. */
const MAY_NEED_ESCAPE = /[^\u0020\u0021\u0023-\u005b\u005d-\ud7ff\ue000-\uffff]/;

function createStringEncoder(field: DescField): ValueEncoder {
  return (value: string) => {
    if (typeof value !== "string") return throwInvalidFieldValue(field, value);
    // Tests first, because the test is faster than JSON.stringify and few strings need an escape.
    return MAY_NEED_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
  };
}

function createBooleanEncoder(field: DescField): ValueEncoder {
  return (value: boolean) =>
    value === true ? "true" : value === false ? "false" : throwInvalidFieldValue(field, value);
}

function createBytesEncoder(field: DescField): ValueEncoder {
  return (value: Uint8Array) =>
    value instanceof Uint8Array ? `"${base64Encode(value)}"` : throwInvalidFieldValue(field, value);
}

function createFloatEncoder(field: DescField, convert: FloatConverter): ValueEncoder {
  return (value: number) => {
    if (typeof value !== "number") return throwInvalidFieldValue(field, value);
    if (!Number.isFinite(value)) return `"${value}"`;
    if (convert(value) === undefined) return throwInvalidFieldValue(field, value);
    return Object.is(value, -0) ? "-0" : `${value}`;
  };
}

/** Creates the encoder for 64-bit integers. It accepts bigints, numbers and decimal strings, as protobuf-es does for the binary format. */
function createLongEncoder(field: DescField, { min, max }: IntegerType, quote: string): ValueEncoder {
  return (value: bigint | number | string) => {
    const integer = typeof value === "bigint" ? value : parseLong(value);
    return integer !== undefined && integer >= min && integer <= max
      ? `${quote}${integer}${quote}`
      : throwInvalidFieldValue(field, value);
  };
}

function parseLong(value: number | string): bigint | undefined {
  if (typeof value === "string") return parseCanonicalInteger(value);
  return Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function createIntegerEncoder(field: DescField, type: IntegerType): (value: number) => string {
  // Bitwise operations leave 32-bit integers unchanged, and change all other numbers.
  return type.min === 0n
    ? (value: number) => (value >>> 0 === value ? `${value}` : throwInvalidFieldValue(field, value))
    : (value: number) => ((value | 0) === value ? `${value}` : throwInvalidFieldValue(field, value));
}

export function throwInvalidFieldValue(field: DescField, value: unknown): never {
  throw new Error(`${field.parent.typeName}.${field.name} cannot be ${describeValue(value)}`);
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MAX_SHOWN));
  return typeof value === "object" || typeof value === "function"
    ? Object.prototype.toString.call(value)
    : String(value);
}

/** Maximum number of characters of an invalid string that an error message shows. */
const MAX_SHOWN = 40;
