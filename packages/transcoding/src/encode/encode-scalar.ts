import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { spellEnumValue } from "../values/enum-spelling.js";
import type { EncodeOptions } from "./encode-options.js";

/** Writes a value, as protobuf-es stores it, as JSON text. */
export type ValueEncoder = (value: never) => string;

/** Returns the encoder of a scalar type, as ProtoJSON has it: 64-bit integers as strings, bytes as base64. */
export function scalarEncoder(scalar: ScalarType): ValueEncoder {
  switch (scalar) {
    case ScalarType.STRING:
      return encodeString;
    case ScalarType.BOOL:
      return encodeBoolean;
    case ScalarType.BYTES:
      return encodeBytes;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return encodeFloat;
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return encodeLong;
    default:
      return encodeInteger;
  }
}

/** Creates the encoder of an enum. A number that the enum does not name is written as it is, `NullValue` as null. */
export function createEnumEncoder(desc: DescEnum, options: EncodeOptions): ValueEncoder {
  if (desc.typeName === "google.protobuf.NullValue") {
    return () => "null";
  }
  const texts = new Map(
    // The first of several names for a number is its name, the others are aliases.
    desc.values
      .toReversed()
      .map((value) => [value.number, JSON.stringify(spellEnumValue(value, options.enums ?? "full"))]),
  );
  return (number: number) => texts.get(number) ?? `${number}`;
}

/** What a string of JSON has only escaped, and lone surrogates, which are escaped too; pairs are just looked at by JSON.stringify. */
const MAY_NEED_ESCAPE = /[^\u0020\u0021\u0023-\u005b\u005d-\ud7ff\ue000-\uffff]/;

function encodeString(value: string): string {
  // To look for what needs an escape takes less time than JSON.stringify.
  return MAY_NEED_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
}

function encodeBoolean(value: boolean): string {
  return value ? "true" : "false";
}

function encodeBytes(value: Uint8Array): string {
  return `"${base64Encode(value)}"`;
}

function encodeFloat(value: number): string {
  if (Number.isFinite(value)) {
    return Object.is(value, -0) ? "-0" : `${value}`;
  }
  return `"${value}"`;
}

function encodeLong(value: bigint | string): string {
  return `"${value}"`;
}

function encodeInteger(value: number): string {
  return `${value}`;
}
