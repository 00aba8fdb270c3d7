/** The range of a floating-point type: returns a number as the type holds it, undefined if it is beyond the range. */
export type FloatRange = (value: number) => number | undefined;

const MAX_FLOAT = 2 ** 128 - 2 ** 104;

/**
 * The range of a float. A number that is larger than the largest float only by rounding, such as its shortest text
 * `3.4028235e38`, is the largest float. All others keep the digits that a double has.
 */
export const toFloat: FloatRange = (value) => {
  if (Math.abs(value) <= MAX_FLOAT) return value;
  return toDouble(Math.fround(value));
};

/** The range of a double. */
export const toDouble: FloatRange = (value) => (Number.isFinite(value) ? value : undefined);
