const GRAMMAR = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
// More than any 64-bit integer needs, and few enough for the exact way below to be cheap.
const MAX_LENGTH = 40;

/** Whether a text is a number as JSON writes it (RFC 8259 section 6). */
export function isJsonNumber(text: string): boolean {
  return GRAMMAR.test(text);
}

/**
 * Returns the integer that a JSON number is, to its last digit: `1e2` and `100.0` are 100. Undefined where it has a
 * fraction, or is beyond every 64-bit integer.
 */
export function parseJsonInteger(text: string): bigint | undefined {
  const match = text.length > MAX_LENGTH ? null : PARTS.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/0+$/, "");
  const zeros = Number(exponent) + whole.length - digits.length;
  if (/^0*$/.test(digits)) {
    return 0n;
  }
  return zeros < 0 || zeros > MAX_LENGTH ? undefined : BigInt(`${sign}${digits}${"0".repeat(zeros)}`);
}
