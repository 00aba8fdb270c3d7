/** Checks and converts a number for a floating-point type. Returns undefined if it is out of range. */
export type FloatConverter = (value: number) => number | undefined;

const MAX_FLOAT = 2 ** 128 - 2 ** 104;

/**
 * Converts to a float. A number that exceeds the largest float only by rounding, such as that float's shortest text `3.4028235e38`, becomes
 * the largest float. All others keep the precision of a double.
 */
export const toFloat: FloatConverter = (value) => {
  if (Math.abs(value) <= MAX_FLOAT) return value;
  return toDouble(Math.fround(value));
};

export const toDouble: FloatConverter = (value) => (Number.isFinite(value) ? value : undefined);
