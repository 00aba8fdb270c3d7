import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { enumNumbers } from "../values/enum-spelling.js";
import { createEnumNumberCheck, describeEnum } from "../values/enum-value.js";
import { describeInteger, findIntegerType, INT32, type IntegerType, toLocalInteger } from "../values/integer-type.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createScalarTextParser, MAX_FLOAT, parseFloatText } from "./field-value.js";
import { isJsonNumber, parseJsonInteger } from "./json-number.js";
import type { JsonReader } from "./json-reader.js";
import type { TextParser } from "./text-parser.js";

/**
 * Reads a JSON value. Returns it as protobuf-es stores it, or undefined after it has noted a violation; either way the
 * reader is behind the value.
 */
export type ValueDecoder = (reader: JsonReader, state: DecodeState) => unknown;

/** Creates the decoder of a scalar type, as ProtoJSON has it; `strictTypes` refuses numbers in strings but for 64 bits. */
export function createScalarDecoder(scalar: ScalarType, longAsString: boolean, options: DecodeOptions): ValueDecoder {
  const strict = options.strictTypes === true;
  const integer = findIntegerType(scalar);
  if (integer !== undefined) {
    return integer.long ? createLongDecoder(integer, longAsString) : createIntegerDecoder(integer, strict);
  }
  switch (scalar) {
    case ScalarType.BOOL:
      return decodeBoolean;
    case ScalarType.FLOAT:
      return createFloatDecoder("float", MAX_FLOAT, strict);
    case ScalarType.DOUBLE:
      return createFloatDecoder("double", Number.MAX_VALUE, strict);
    case ScalarType.BYTES:
      return createTextDecoder(createScalarTextParser(scalar, longAsString, options));
    default:
      return decodeString;
  }
}

/** Creates the decoder of an enum: a string that names a value, or, but under `strictTypes`, its number. */
export function createEnumDecoder(desc: DescEnum, options: DecodeOptions): ValueDecoder {
  if (desc.typeName === "google.protobuf.NullValue") {
    return decodeNullValue;
  }
  const numbers = enumNumbers(desc);
  const isNumber = createEnumNumberCheck(desc);
  const decodeNumber = createIntegerDecoder(INT32, true);
  const offered = describeEnum(desc, options);
  return (reader, state) => {
    const kind = reader.kind();
    if (kind === "string") {
      return numbers.get(reader.readString()) ?? state.violate(`must be one of ${offered}`);
    }
    if (kind !== "number" || options.strictTypes === true) {
      return state.refuseValue(reader, "must be a string", `: one of ${offered}`);
    }
    const number = decodeNumber(reader, state);
    return number === undefined || isNumber(number as number) ? number : state.violate(`must be one of ${offered}`);
  };
}

/** Creates the decoder of a type whose JSON is a string that a parser reads. */
export function createTextDecoder(parser: TextParser): ValueDecoder {
  return (reader, state) =>
    reader.kind() === "string"
      ? (parser.parse(reader.readString()) ?? state.violate(parser.expected))
      : state.refuseValue(reader, parser.expected);
}

function createIntegerDecoder(type: IntegerType, strict: boolean): ValueDecoder {
  const min = Number(type.min);
  const max = Number(type.max);
  const range = describeInteger(type);
  return (reader, state) => {
    const text = readNumberText(reader, state, strict, "must be an integer");
    if (text === undefined) {
      return undefined;
    }
    // Up to 15 characters a number is exact.
    const value = text.length <= 15 ? Number(text) : Number(parseJsonInteger(text) ?? Number.NaN);
    // Adding zero turns -0, which no integer is, into 0.
    return Number.isInteger(value) && value >= min && value <= max ? value + 0 : state.violate(range);
  };
}

function createLongDecoder(type: IntegerType, longAsString: boolean): ValueDecoder {
  const range = describeInteger(type);
  return (reader, state) => {
    const text = readNumberText(reader, state, false, "must be an integer");
    return text === undefined
      ? undefined
      : (toLocalInteger(parseJsonInteger(text), type, longAsString) ?? state.violate(range));
  };
}

function createFloatDecoder(type: string, max: number, strict: boolean): ValueDecoder {
  return (reader, state) => {
    const kind = reader.kind();
    if (kind === "number") {
      const value = Number(reader.readNumber());
      return Math.abs(value) <= max ? value : state.violate(`must be a number that a ${type} can hold`);
    }
    if (kind !== "string" || strict) {
      return state.refuseValue(reader, "must be a number");
    }
    return parseFloatText(reader.readString(), max) ?? state.violate("must be a number");
  };
}

/** Reads a number as it is written, or a string that holds one; undefined after a violation. */
function readNumberText(reader: JsonReader, state: DecodeState, strict: boolean, expected: string): string | undefined {
  const kind = reader.kind();
  if (kind === "number") {
    return reader.readNumber();
  }
  if (kind !== "string" || strict) {
    return state.refuseValue(reader, expected);
  }
  const text = reader.readString();
  return isJsonNumber(text) ? text : state.violate(expected);
}

function decodeBoolean(reader: JsonReader, state: DecodeState): unknown {
  return reader.kind() === "boolean" ? reader.readBoolean() : state.refuseValue(reader, "must be true or false");
}

function decodeString(reader: JsonReader, state: DecodeState): string | undefined {
  return reader.kind() === "string"
    ? state.checkText(reader.readString())
    : state.refuseValue(reader, "must be a string");
}

function decodeNullValue(reader: JsonReader, state: DecodeState): unknown {
  if (reader.kind() !== "null") {
    return state.refuseValue(reader, "must be null");
  }
  reader.readNull();
  return 0;
}
