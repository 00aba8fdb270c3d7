const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/** Reads an integer in decimal that fits 32 bits, the most that a request can carry. Returns undefined for any other text. */
export function parseInt32(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return isInt32(value) ? value : undefined;
}

/** Tells whether a number is an integer that fits 32 bits. */
export function isInt32(value: number): boolean {
  return Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX;
}

/** Reads a decimal number, with an exponent or without. Returns undefined for any other text, such as NaN or an infinity. */
export function parseNumber(text: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
