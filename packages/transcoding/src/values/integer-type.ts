import { ScalarType } from "@bufbuild/protobuf";

export interface IntegerType {
  readonly min: bigint;
  readonly max: bigint;
  /** Whether the type has 64 bits, more than a JavaScript number can represent exactly. */
  readonly long: boolean;
}

/** The type of 32-bit signed integers, and of the numbers of enum values. */
export const INT32_TYPE: IntegerType = { min: -(2n ** 31n), max: 2n ** 31n - 1n, long: false };
const uint32: IntegerType = { min: 0n, max: 2n ** 32n - 1n, long: false };
const int64: IntegerType = { min: -(2n ** 63n), max: 2n ** 63n - 1n, long: true };
const uint64: IntegerType = { min: 0n, max: 2n ** 64n - 1n, long: true };

const INTEGER_TYPES: ReadonlyMap<ScalarType, IntegerType> = new Map([
  [ScalarType.INT32, INT32_TYPE],
  [ScalarType.SINT32, INT32_TYPE],
  [ScalarType.SFIXED32, INT32_TYPE],
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

/** Parses an integer of at most 20 digits, without plus sign, leading zeros or spaces, so that no number has two texts. Undefined for other texts. */
export function parseCanonicalInteger(text: string): bigint | undefined {
  return CANONICAL.test(text) ? BigInt(text) : undefined;
}

const CANONICAL = /^(?:0|-?[1-9]\d{0,19})$/;

/** Returns the description of the violation for a value that is not an integer between `min` and `max`. */
export function describeIntegerViolation({ min, max }: Pick<IntegerType, "min" | "max">): string {
  return `must be an integer from ${min} to ${max}`;
}

/** Converts an integer to the JavaScript type in which protobuf-es stores it. Returns undefined if the integer is out of range. */
export function toJsInteger(
  value: bigint | undefined,
  type: IntegerType,
  asText: boolean,
): bigint | number | string | undefined {
  if (value === undefined || value < type.min || value > type.max) {
    return undefined;
  }
  return !type.long ? Number(value) : asText ? value.toString() : value;
}
