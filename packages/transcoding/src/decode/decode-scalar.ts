import { type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import { integerRangeOf } from "../rules/integer-range.js";
import { enumNumbers } from "../values/enum-spelling.js";
import { type FloatRange, toDouble, toFloat } from "../values/float-value.js";
import { describeInteger, findIntegerType, INT32, type IntegerType, toLocalInteger } from "../values/integer-type.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import { createEnumNumberCheck, describeEnum } from "./enum-value.js";
import { createScalarTextParser, parseFloatText } from "./field-value.js";
import { isJsonNumber, parseJsonInteger } from "./json-number.js";
import type { JsonReader } from "./json-reader.js";
import type { TextParser } from "./text-parser.js";

/**
 * Reads a JSON value. Returns it as protobuf-es stores it, or undefined after it has noted a violation; either way the
 * reader is behind the value.
 */
export type ValueDecoder = (reader: JsonReader, state: DecodeState) => unknown;

/**
 * Creates the decoder of a field's scalar values, as ProtoJSON has them; `strictTypes` refuses numbers in strings but for 64
 * bits.
 */
export function createScalarDecoder(
  field: DescField,
  scalar: ScalarType,
  longAsString: boolean,
  options: DecodeOptions,
): ValueDecoder {
  const strict = options.strictTypes === true;
  const integer = findIntegerType(scalar);
  if (integer !== undefined) {
    const expected = describeInteger(integerRangeOf(field, integer));
    return integer.long
      ? createLongDecoder(integer, longAsString, expected)
      : createIntegerDecoder(integer, strict, expected);
  }
  switch (scalar) {
    case ScalarType.BOOL:
      return decodeBoolean;
    case ScalarType.FLOAT:
      return createFloatDecoder("float", toFloat, strict);
    case ScalarType.DOUBLE:
      return createFloatDecoder("double", toDouble, strict);
    case ScalarType.BYTES:
      return createTextDecoder(createScalarTextParser(scalar, longAsString, options));
    default:
      return decodeString;
  }
}

/** Creates the decoder of an enum: a string that names a value, or its number; under `strictTypes` only what `enums` says. */
export function createEnumDecoder(desc: DescEnum, options: DecodeOptions): ValueDecoder {
  if (desc.typeName === "google.protobuf.NullValue") {
    return createNullDecoder(options.strictTypes === true);
  }
  const numbers = enumNumbers(desc);
  const isNumber = createEnumNumberCheck(desc);
  const decodeNumber = createIntegerDecoder(INT32, true, describeInteger(INT32));
  const offered = describeEnum(desc, options);
  const numeric = options.enums === "number";
  const takesNames = !(numeric && options.strictTypes === true);
  const takesNumbers = numeric || options.strictTypes !== true;
  return (reader, state) => {
    const kind = reader.kind();
    if (kind === "string" && takesNames) {
      return numbers.get(reader.readString()) ?? state.violate(`must be one of ${offered}`);
    }
    if (kind !== "number" || !takesNumbers) {
      return state.refuseValue(reader, numeric ? "must be an integer" : "must be a string", `: one of ${offered}`);
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

function createIntegerDecoder(type: IntegerType, strict: boolean, expected: string): ValueDecoder {
  const min = Number(type.min);
  const max = Number(type.max);
  return (reader, state) => {
    const text = readNumberText(reader, state, strict, "must be an integer");
    if (text === undefined) {
      return undefined;
    }
    // Up to 15 characters a number is exact.
    const value = text.length <= 15 ? Number(text) : Number(parseJsonInteger(text) ?? Number.NaN);
    // Adding zero turns -0, which no integer is, into 0.
    return Number.isInteger(value) && value >= min && value <= max ? value + 0 : state.violate(expected);
  };
}

function createLongDecoder(type: IntegerType, longAsString: boolean, expected: string): ValueDecoder {
  return (reader, state) => {
    const text = readNumberText(reader, state, false, "must be an integer");
    return text === undefined
      ? undefined
      : (toLocalInteger(parseJsonInteger(text), type, longAsString) ?? state.violate(expected));
  };
}

function createFloatDecoder(type: string, range: FloatRange, strict: boolean): ValueDecoder {
  return (reader, state) => {
    const kind = reader.kind();
    if (kind === "number") {
      return range(Number(reader.readNumber())) ?? state.violate(`must be a number in the range of a ${type}`);
    }
    if (kind !== "string" || strict) {
      return state.refuseValue(reader, "must be a number");
    }
    return parseFloatText(reader.readString(), range) ?? state.violate("must be a number");
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

/** Parsers take the name and number of `NullValue` too: https://protobuf.dev/programming-guides/json. */
function createNullDecoder(strict: boolean): ValueDecoder {
  return (reader, state) => {
    switch (reader.kind()) {
      case "null":
        reader.readNull();
        return 0;
      case "string":
        return reader.readString() === "NULL_VALUE" ? 0 : state.violate("must be null");
      case "number":
        if (!strict) return Number(reader.readNumber()) === 0 ? 0 : state.violate("must be null");
    }
    return state.refuseValue(reader, "must be null");
  };
}
