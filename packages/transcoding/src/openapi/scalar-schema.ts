import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { findIntegerRange } from "../rules/integer-range.js";
import { findIntegerType, type IntegerType } from "../values/integer-type.js";
import type { Schema } from "./schema.js";
import type { JsonOptions } from "./schema-use.js";

/**
 * Creates the schema of a scalar type (ProtoJSON): bytes are base64 strings, and the option `int64` determines the type of 64-bit integers. The
 * schema of a double does not contain the strings `NaN`, `Infinity` and `-Infinity`, because every client would then have to handle strings.
 *
 * @param field the field that contains the values; undefined for the value of a wrapper.
 */
export function createScalarSchema(
  scalar: ScalarType,
  { int64 }: Pick<JsonOptions, "int64">,
  field?: DescField,
): Schema {
  const integer = findIntegerType(scalar);
  if (integer !== undefined) return createIntegerSchema(integer, int64 === "number", field);
  return SCHEMAS.get(scalar) ?? { type: "string" };
}

const SCHEMAS: ReadonlyMap<ScalarType, Schema> = new Map<ScalarType, Schema>([
  [ScalarType.BOOL, { type: "boolean" }],
  [ScalarType.BYTES, { type: "string", contentEncoding: "base64" }],
  [ScalarType.FLOAT, { type: "number", format: "float" }],
  [ScalarType.DOUBLE, { type: "number", format: "double" }],
]);

/** Creates the schema of a map's keys, which are strings in JSON. Returns undefined if every string is a valid key. */
export function createMapKeySchema(scalar: ScalarType): Schema | undefined {
  const integer = findIntegerType(scalar);
  if (integer !== undefined) return { pattern: integerPattern(integer) };
  return scalar === ScalarType.BOOL ? { enum: ["true", "false"] } : undefined;
}

function createIntegerSchema(type: IntegerType, isLongNumber: boolean, field: DescField | undefined): Schema {
  const format = `${type.min === 0n ? "u" : ""}int${type.long ? 64 : 32}`;
  const { min, max } = field === undefined ? type : findIntegerRange(field, type);
  if (!type.long) return { type: "integer", format, minimum: Number(min), maximum: Number(max) };
  // Omits the maximum and a negative minimum, because many programs that read the document cannot represent 64-bit integers.
  if (isLongNumber) return { type: "integer", format, ...(type.min === 0n && { minimum: 0 }) };
  return { type: "string", format, pattern: integerPattern(type) };
}

function integerPattern({ min }: IntegerType): string {
  return min === 0n ? "^(0|[1-9][0-9]*)$" : "^(0|-?[1-9][0-9]*)$";
}
