import { ScalarType } from "@bufbuild/protobuf";

/** The range of an integer type. */
export interface IntegerType {
  readonly min: bigint;
  readonly max: bigint;
  /** Whether it has 64 bits, which exceeds the integers that a JavaScript number can hold. */
  readonly long: boolean;
}

/** 32-bit signed integers; also the numbers of enums. */
export const INT32: IntegerType = { min: -(2n ** 31n), max: 2n ** 31n - 1n, long: false };
const uint32: IntegerType = { min: 0n, max: 2n ** 32n - 1n, long: false };
const int64: IntegerType = { min: -(2n ** 63n), max: 2n ** 63n - 1n, long: true };
const uint64: IntegerType = { min: 0n, max: 2n ** 64n - 1n, long: true };

const INTEGER_TYPES: ReadonlyMap<ScalarType, IntegerType> = new Map([
  [ScalarType.INT32, INT32],
  [ScalarType.SINT32, INT32],
  [ScalarType.SFIXED32, INT32],
  [ScalarType.UINT32, uint32],
  [ScalarType.FIXED32, uint32],
  [ScalarType.INT64, int64],
  [ScalarType.SINT64, int64],
  [ScalarType.SFIXED64, int64],
  [ScalarType.UINT64, uint64],
  [ScalarType.FIXED64, uint64],
]);

/** Returns the integer type of a scalar, or undefined if it is not an integer. */
export function findIntegerType(scalar: ScalarType): IntegerType | undefined {
  return INTEGER_TYPES.get(scalar);
}

/**
 * Parses an integer in canonical decimal: no plus sign, no leading zero, no space, so that no number has two texts. Returns
 * undefined for any other text, and for one too long for 64 bits.
 */
export function parseCanonicalInteger(text: string): bigint | undefined {
  return CANONICAL.test(text) ? BigInt(text) : undefined;
}

const CANONICAL = /^(?:0|-?[1-9]\d{0,19})$/;

/** Describes the valid values of an integer type. */
export function describeInteger({ min, max }: Pick<IntegerType, "min" | "max">): string {
  return `must be an integer from ${min} to ${max}`;
}

/** Converts an integer to the form that protobuf-es stores. Returns undefined if it is out of range. */
export function toLocalInteger(
  value: bigint | undefined,
  type: IntegerType,
  asText: boolean,
): bigint | number | string | undefined {
  if (value === undefined || value < type.min || value > type.max) {
    return undefined;
  }
  return !type.long ? Number(value) : asText ? value.toString() : value;
}
