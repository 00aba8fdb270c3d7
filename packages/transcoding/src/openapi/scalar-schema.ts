import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { integerRangeOf } from "../rules/integer-range.js";
import { findIntegerType, type IntegerType } from "../values/integer-type.js";
import type { Schema } from "./schema.js";
import type { JsonForm } from "./schema-use.js";

/**
 * The schema of a scalar type as ProtoJSON writes it, but for `int64`: 64-bit integers are strings, bytes are base64. That a double may be
 * the string `NaN`, `Infinity` or `-Infinity` is not said, or every client would have to expect a string there.
 *
 * @param field whose values they are; undefined for the value of a wrapper.
 */
export function createScalarSchema(scalar: ScalarType, { int64 }: Pick<JsonForm, "int64">, field?: DescField): Schema {
  const integer = findIntegerType(scalar);
  if (integer !== undefined) return createIntegerSchema(integer, int64 === "number", field);
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.FLOAT:
      return { type: "number", format: "float" };
    case ScalarType.DOUBLE:
      return { type: "number", format: "double" };
    default:
      return { type: "string" };
  }
}

/** The schema of the keys of a map, which are strings in JSON; undefined where any string will do. */
export function createKeySchema(scalar: ScalarType): Schema | undefined {
  const integer = findIntegerType(scalar);
  if (integer !== undefined) return { pattern: integerPattern(integer) };
  return scalar === ScalarType.BOOL ? { enum: ["true", "false"] } : undefined;
}

function createIntegerSchema(type: IntegerType, isLongNumber: boolean, field: DescField | undefined): Schema {
  const format = `${type.min === 0n ? "u" : ""}int${type.long ? 64 : 32}`;
  const { min, max } = field === undefined ? type : integerRangeOf(field, type);
  if (!type.long) return { type: "integer", format, minimum: Number(min), maximum: Number(max) };
  // The bounds of 64 bits are no numbers that every reader of the document has.
  if (isLongNumber) return { type: "integer", format, ...(type.min === 0n && { minimum: 0 }) };
  return { type: "string", format, pattern: integerPattern(type) };
}

function integerPattern({ min }: IntegerType): string {
  return min === 0n ? "^(0|[1-9][0-9]*)$" : "^(0|-?[1-9][0-9]*)$";
}
