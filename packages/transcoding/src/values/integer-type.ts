import { ScalarType } from "@bufbuild/protobuf";

export interface IntegerType {
  readonly min: bigint;
  readonly max: bigint;
  /** Whether it has 64 bits, more than a JavaScript number can represent exactly. */
  readonly long: boolean;
}

/** 32-bit signed integers, which also include the numbers of enums. */
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

export function findIntegerType(scalar: ScalarType): IntegerType | undefined {
  return INTEGER_TYPES.get(scalar);
}

/**
 * Parses canonical decimal, without plus sign, leading zeros or spaces, so that no number has two texts. Undefined for other texts or over 20 digits.
 */
export function parseCanonicalInteger(text: string): bigint | undefined {
  return CANONICAL.test(text) ? BigInt(text) : undefined;
}

const CANONICAL = /^(?:0|-?[1-9]\d{0,19})$/;

/** Describes the violation for a value that is not an integer in the range. */
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
