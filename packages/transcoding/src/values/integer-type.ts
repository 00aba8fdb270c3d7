import { ScalarType } from "@bufbuild/protobuf";

/** The range of an integer type. */
export interface IntegerType {
  readonly min: bigint;
  readonly max: bigint;
  /** Whether it has 64 bits, so that a JavaScript number cannot hold all of it. */
  readonly long: boolean;
}

/** The 32-bit signed integers, which enum numbers are too. */
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

/** Returns the integer type of a scalar, undefined where it is none. */
export function findIntegerType(scalar: ScalarType): IntegerType | undefined {
  return INTEGER_TYPES.get(scalar);
}

/**
 * Reads an integer in canonical decimal: no plus sign, no leading zero, no space, so that the same number never has two
 * texts. Returns undefined for any other text, and for one too long for 64 bits.
 */
export function parseCanonicalInteger(text: string): bigint | undefined {
  return CANONICAL.test(text) ? BigInt(text) : undefined;
}

const CANONICAL = /^(?:0|-?[1-9]\d{0,19})$/;

/** Says what a value of an integer type has to be. */
export function describeInteger({ min, max }: Pick<IntegerType, "min" | "max">): string {
  return `must be an integer from ${min} to ${max}`;
}

/** Returns an integer as protobuf-es stores it in a field of the type, undefined where it is out of range. */
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
