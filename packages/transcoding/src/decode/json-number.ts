const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
// Enough for every 64-bit integer, and short enough to keep the exact conversion cheap.
const MAX_LENGTH = 40;

/** Whether a text is a JSON number (RFC 8259 section 6). */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Returns the exact integer: `1e2` and `100.0` are 100. Undefined for other texts, and far outside 64 bits; the caller checks the exact range. */
export function parseJsonInteger(text: string): bigint | undefined {
  const match = text.length > MAX_LENGTH ? null : NUMBER.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/(?<!0)0+$/, "");
  const zeros = Number(exponent) + whole.length - digits.length;
  if (/^0*$/.test(digits)) {
    return 0n;
  }
  return zeros < 0 || zeros > MAX_LENGTH ? undefined : BigInt(`${sign}${digits}${"0".repeat(zeros)}`);
}
