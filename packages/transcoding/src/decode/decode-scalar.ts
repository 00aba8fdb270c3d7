import { type DescEnum, type DescField, ScalarType } from "@bufbuild/protobuf";
import { findIntegerRange } from "../rules/integer-range.js";
import { getEnumNumbersByName } from "../values/enum-spelling.js";
import { type FloatConverter, toDouble, toFloat } from "../values/float-value.js";
import {
  describeIntegerViolation,
  findIntegerType,
  INT32_TYPE,
  type IntegerType,
  toJsInteger,
} from "../values/integer-type.js";
import type { DecodeOptions } from "./decode-options.js";
import type { DecodeState } from "./decode-state.js";
import type { ValueDecoder } from "./decoders.js";
import { isJsonNumber, parseJsonInteger } from "./json-number.js";
import type { JsonReader } from "./json-reader.js";
import {
  createEnumNumberCheck,
  createScalarTextParser,
  formatEnumNames,
  parseFloatText,
  type TextParser,
} from "./text-parser.js";

/**
 * Creates the decoder for a field's scalar values (ProtoJSON). With `strictTypes`, the decoder accepts a number in a string only for 64-bit integers.
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
    const expected = describeIntegerViolation(findIntegerRange(field, integer));
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
      return createJsonStringDecoder(createScalarTextParser(scalar, longAsString, options));
    default:
      return decodeString;
  }
}

/**
 * Creates the decoder for an enum. It accepts names and numbers. With `strictTypes`, it accepts only numbers if the option `enums` is `number`, and only
 * names otherwise.
 */
export function createEnumDecoder(desc: DescEnum, options: DecodeOptions): ValueDecoder {
  if (desc.typeName === "google.protobuf.NullValue") {
    return createNullDecoder(options.strictTypes === true);
  }
  const numbers = getEnumNumbersByName(desc);
  const isNumber = createEnumNumberCheck(desc);
  const decodeNumber = createIntegerDecoder(INT32_TYPE, true, describeIntegerViolation(INT32_TYPE));
  const offered = formatEnumNames(desc, options);
  const numeric = options.enums === "number";
  const takesNames = !(numeric && options.strictTypes === true);
  const takesNumbers = numeric || options.strictTypes !== true;
  return (reader, state) => {
    const kind = reader.kind();
    if (kind === "string" && takesNames) {
      return numbers.get(reader.readString()) ?? state.violate(`must be one of ${offered}`);
    }
    if (kind !== "number" || !takesNumbers) {
      return state.rejectValue(reader, numeric ? "must be an integer" : "must be a string", `: one of ${offered}`);
    }
    const number = decodeNumber(reader, state);
    return number === undefined || isNumber(number as number) ? number : state.violate(`must be one of ${offered}`);
  };
}

/** Creates the decoder for a type whose JSON form is a string. `parser` parses the string. */
export function createJsonStringDecoder(parser: TextParser): ValueDecoder {
  return (reader, state) =>
    reader.kind() === "string"
      ? (parser.parse(reader.readString()) ?? state.violate(parser.expected))
      : state.rejectValue(reader, parser.expected);
}

function createIntegerDecoder(type: IntegerType, strict: boolean, expected: string): ValueDecoder {
  const min = Number(type.min);
  const max = Number(type.max);
  return (reader, state) => {
    const text = readIntegerText(reader, state, strict);
    if (text === undefined) {
      return undefined;
    }
    // A JavaScript number represents every integer of up to 15 digits exactly.
    const value = text.length <= 15 ? Number(text) : Number(parseJsonInteger(text) ?? Number.NaN);
    // Adds zero to turn -0 into 0, because protobuf's integers have no negative zero.
    return Number.isInteger(value) && value >= min && value <= max ? value + 0 : state.violate(expected);
  };
}

function createLongDecoder(type: IntegerType, longAsString: boolean, expected: string): ValueDecoder {
  return (reader, state) => {
    const text = readIntegerText(reader, state, false);
    return text === undefined
      ? undefined
      : (toJsInteger(parseJsonInteger(text), type, longAsString) ?? state.violate(expected));
  };
}

function createFloatDecoder(type: string, convert: FloatConverter, strict: boolean): ValueDecoder {
  return (reader, state) => {
    const kind = reader.kind();
    if (kind === "number") {
      return convert(Number(reader.readNumber())) ?? state.violate(`must be a number in the range of a ${type}`);
    }
    if (kind !== "string" || strict) {
      return state.rejectValue(reader, "must be a number");
    }
    return parseFloatText(reader.readString(), convert) ?? state.violate("must be a number");
  };
}

/** Reads a number and returns its text. If `strict` is false, also accepts a number in a string. Returns undefined after recording a violation. */
function readIntegerText(reader: JsonReader, state: DecodeState, strict: boolean): string | undefined {
  const kind = reader.kind();
  if (kind === "number") {
    return reader.readNumber();
  }
  if (kind !== "string" || strict) {
    return state.rejectValue(reader, "must be an integer");
  }
  const text = reader.readString();
  return isJsonNumber(text) ? text : state.violate("must be an integer");
}

function decodeBoolean(reader: JsonReader, state: DecodeState): unknown {
  return reader.kind() === "boolean" ? reader.readBoolean() : state.rejectValue(reader, "must be true or false");
}

function decodeString(reader: JsonReader, state: DecodeState): string | undefined {
  return reader.kind() === "string"
    ? state.checkText(reader.readString())
    : state.rejectValue(reader, "must be a string");
}

/**
 * Creates the decoder for `NullValue`. Besides null, ProtoJSON parsers accept the name `NULL_VALUE` and the number 0:
 * https://protobuf.dev/programming-guides/json. If `strict` is true, the number is a violation.
 */
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
    return state.rejectValue(reader, "must be null");
  };
}
