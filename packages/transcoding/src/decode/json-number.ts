const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
// Maximum length of a number that is converted exactly. Sufficient for every 64-bit integer, and small enough to keep the conversion fast.
const MAX_LENGTH = 40;

/** Whether a text is a JSON number (RFC 8259 section 6). */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Parses a JSON number that is an integer, such as `1e2` or `100.0`, exactly. Undefined for other texts, and for numbers far outside 64 bits. */
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
