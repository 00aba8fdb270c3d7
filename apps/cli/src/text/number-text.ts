const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Parses a decimal integer that fits 32 bits, the width of integer fields. Returns undefined for other text. */
export function parseInt32(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return isInt32(value) ? value : undefined;
}

/** Reports whether a number is an integer that fits 32 bits. */
export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX;
}

/** Parses a decimal number, optionally with an exponent. Returns undefined for other text, including NaN and infinities. */
export function parseNumber(text: string): number | undefined {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
