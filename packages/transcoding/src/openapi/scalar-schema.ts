import { ScalarType } from "@bufbuild/protobuf";
import { findIntegerType, type IntegerType } from "../values/integer-type.js";
import type { Schema } from "./schema.js";

/**
 * The schema of a scalar type as ProtoJSON writes it: 64-bit integers are strings, bytes are base64. That a double may be
 * the string `NaN`, `Infinity` or `-Infinity` is not said, or every client would have to expect a string there.
 */
export function createScalarSchema(scalar: ScalarType): Schema {
  const integer = findIntegerType(scalar);
  if (integer !== undefined) return createIntegerSchema(integer);
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

function createIntegerSchema(type: IntegerType): Schema {
  const name = `${type.min === 0n ? "u" : ""}int${type.long ? 64 : 32}`;
  return type.long
    ? { type: "string", format: name, pattern: integerPattern(type) }
    : { type: "integer", format: name, minimum: Number(type.min), maximum: Number(type.max) };
}

function integerPattern({ min }: IntegerType): string {
  return min === 0n ? "^(0|[1-9][0-9]*)$" : "^(0|-?[1-9][0-9]*)$";
}
