import { create, type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { protoCamelCase, protoSnakeCase } from "@bufbuild/protobuf/reflect";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { type FieldMask, FieldMaskSchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { MAX_MESSAGE_VALUES } from "../http/body-errors.js";
import { findIntegerRange } from "../rules/integer-range.js";
import { parseDuration } from "../values/duration-text.js";
import { getEnumNumbersByName, listDocumentedEnumNames } from "../values/enum-spelling.js";
import { type FloatConverter, toDouble, toFloat } from "../values/float-value.js";
import {
  describeIntegerViolation,
  findIntegerType,
  INT32_TYPE,
  parseCanonicalInteger,
  toJsInteger,
} from "../values/integer-type.js";
import { parseTimestamp } from "../values/timestamp-text.js";
import { isUnwrappedField, toUntypedMessage } from "../values/untyped-message.js";
import type { DecodeOptions } from "./decode-options.js";
import { NUL_VIOLATION } from "./decode-state.js";
import { isJsonNumber } from "./json-number.js";

/** Parses the values of one type from plain text: from a path segment, a query parameter, a header, a map key or a JSON string. */
export interface TextParser {
  /** Returns the value as protobuf-es stores it, or undefined for invalid text. */
  readonly parse: (text: string) => unknown;
  /** The description of the violation for invalid text, such as `must be true or false`. */
  readonly expected: string;
}

/** Creates the parser for a field's values. Undefined for message types other than wrappers, `Timestamp`, `Duration` and `FieldMask`. */
export function createFieldTextParser(field: DescField, options: DecodeOptions): TextParser | undefined {
  if (field.enum !== undefined) return createEnumTextParser(field.enum, options);
  if (field.message === undefined) {
    return createScalarTextParser(field.scalar, field.fieldKind !== "map" && field.longAsString, options, field);
  }
  const desc = field.message;
  if (!isWrapperDesc(desc)) return createMessageTextParser(desc);
  const [value] = desc.fields;
  const { parse, expected } = createScalarTextParser(value.scalar, value.longAsString, options, value);
  return { parse: isUnwrappedField(field) ? parse : (text) => createWrapperMessage(desc, parse(text)), expected };
}

/**
 * Creates the parser for a scalar type. It accepts integers in decimal without plus sign, leading zeros or spaces, so that each value has exactly one
 * text. It accepts floats and doubles as JSON numbers, or as `NaN`, `Infinity` and `-Infinity`.
 *
 * @param field the field that contains the values; undefined for the keys of a map.
 */
export function createScalarTextParser(
  scalar: ScalarType,
  longAsString: boolean,
  options: DecodeOptions,
  field?: DescField,
): TextParser {
  const integer = findIntegerType(scalar);
  if (integer !== undefined) {
    const expected = describeIntegerViolation(field === undefined ? integer : findIntegerRange(field, integer));
    return { parse: (text) => toJsInteger(parseCanonicalInteger(text), integer, longAsString), expected };
  }
  const refuseNul = options.refuseNul === true;
  const parseString = (text: string) => (refuseNul && text.includes("\0") ? undefined : text);
  return SCALAR_PARSERS.get(scalar) ?? { parse: parseString, expected: NUL_VIOLATION };
}

const SCALAR_PARSERS: ReadonlyMap<ScalarType, TextParser> = new Map<ScalarType, TextParser>([
  [ScalarType.BOOL, { parse: parseBoolean, expected: "must be true or false" }],
  [ScalarType.BYTES, { parse: parseBytes, expected: "must be base64" }],
  [ScalarType.FLOAT, { parse: (text) => parseFloatText(text, toFloat), expected: "must be a number" }],
  [ScalarType.DOUBLE, { parse: (text) => parseFloatText(text, toDouble), expected: "must be a number" }],
]);

/** Creates the parser for an enum. It accepts every name of an enum value, and every valid enum number in decimal. */
function createEnumTextParser(desc: DescEnum, options: DecodeOptions): TextParser {
  const numbers = getEnumNumbersByName(desc);
  const isNumber = createEnumNumberCheck(desc);
  return {
    parse: (text) => {
      const number = numbers.get(text) ?? toJsInteger(parseCanonicalInteger(text), INT32_TYPE, false);
      return number !== undefined && isNumber(Number(number)) ? number : undefined;
    },
    expected: `must be one of ${formatEnumNames(desc, options)}`,
  };
}

/** Creates the function that reports whether a number is valid for an enum. An open enum allows any number, a closed enum only declared numbers. */
export function createEnumNumberCheck(desc: DescEnum): (number: number) => boolean {
  const numbers = new Set(desc.values.map((value) => value.number));
  return desc.open ? () => true : (number) => numbers.has(number);
}

export function formatEnumNames(desc: DescEnum, options: DecodeOptions): string {
  return listDocumentedEnumNames(desc, options.enums ?? "full").join(", ");
}

/** Parses a JSON number, `NaN`, `Infinity` or `-Infinity`. Undefined for any other text, and for a number that `convert` rejects as out of range. */
export function parseFloatText(text: string, convert: FloatConverter): number | undefined {
  return isJsonNumber(text) ? convert(Number(text)) : SPECIAL_NUMBERS.get(text);
}

const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/** Creates the parser for `Timestamp`, `Duration` or `FieldMask`. Returns undefined for any other message type. */
export function createMessageTextParser(desc: DescMessage): TextParser | undefined {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return { parse: parseTimestamp, expected: "must be an RFC 3339 timestamp such as 2006-01-02T15:04:05Z" };
    case "google.protobuf.Duration":
      return { parse: parseDuration, expected: "must be a duration in seconds such as 1.5s" };
    case "google.protobuf.FieldMask":
      return { parse: parseFieldMask, expected: FIELD_MASK };
    default:
      return undefined;
  }
}

/** Creates a message of a wrapper type that contains a value. Returns undefined if the value is undefined. */
export function createWrapperMessage(desc: DescMessage, value: unknown): unknown {
  if (value === undefined) return undefined;
  const message = create(desc);
  toUntypedMessage(message).value = value;
  return message;
}

function parseBoolean(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

/** Decodes base64 in the standard or URL-safe alphabet (RFC 4648 sections 4 and 5), with or without padding. Undefined for other texts. */
function parseBytes(text: string): Uint8Array | undefined {
  const digits = /^([A-Za-z0-9+/_-]*)={0,2}$/.exec(text)?.[1];
  return digits === undefined || digits.length % 4 === 1 ? undefined : base64Decode(text);
}

const FIELD_MASK =
  "must be field names separated by commas, and not names such as foo_2_bar, which have no lowerCamelCase form";

/**
 * Parses a ProtoJSON field mask: paths in lowerCamelCase, separated by commas. Also accepts proto names and `*` (AIP-134). Returns undefined if a
 * path is empty or contains white space, or if there are more than `MAX_MESSAGE_VALUES` paths. Also returns undefined if a path changes when it is
 * converted to lowerCamelCase and back. ProtoJSON cannot represent such a path, so a response that contains the mask would fail.
 */
function parseFieldMask(text: string): FieldMask | undefined {
  const paths = text === "" ? [] : text.split(",", MAX_MESSAGE_VALUES + 1);
  if (paths.length > MAX_MESSAGE_VALUES || !paths.every((path) => /^[^\s.]+(\.[^\s.]+)*$/.test(path))) return undefined;
  const names = paths.map(protoSnakeCase);
  return names.every((name) => protoSnakeCase(protoCamelCase(name)) === name)
    ? create(FieldMaskSchema, { paths: names })
    : undefined;
}
