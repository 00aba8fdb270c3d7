/** Converts a number to a floating-point type. Returns undefined if it is out of range. */
export type FloatRange = (value: number) => number | undefined;

const MAX_FLOAT = 2 ** 128 - 2 ** 104;

/**
 * Converts to a float. A number that exceeds the largest float only by rounding, such as its shortest text `3.4028235e38`,
 * becomes the largest float. All others keep the precision of a double.
 */
export const toFloat: FloatRange = (value) => {
  if (Math.abs(value) <= MAX_FLOAT) return value;
  return toDouble(Math.fround(value));
};

/** Converts to a double. */
export const toDouble: FloatRange = (value) => (Number.isFinite(value) ? value : undefined);
