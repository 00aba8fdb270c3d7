/** Converts a number to a floating-point type. Returns undefined if the number is out of the type's range. */
export type FloatConverter = (value: number) => number | undefined;

const MAX_FLOAT = 2 ** 128 - 2 ** 104;

/**
 * Accepts numbers in the range of a float, and returns them with the precision of a double. A number that exceeds the largest float only because its
 * decimal text was rounded, such as `3.4028235e38`, becomes the largest float.
 */
export const toFloat: FloatConverter = (value) => {
  if (Math.abs(value) <= MAX_FLOAT) return value;
  return toDouble(Math.fround(value));
};

export const toDouble: FloatConverter = (value) => (Number.isFinite(value) ? value : undefined);
