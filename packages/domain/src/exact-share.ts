/**
 * Returns the floor of `size × share`, computed on the share's shortest decimal text. Doubles would be off: 50 × 0.58
 * is 29, but in doubles 28.999999999999996.
 *
 * @param size a non-negative integer.
 * @param share 0 to 1, inclusive.
 */
export function exactShare(size: number, share: number): number {
  const [mantissa = "", exponent = "0"] = String(share).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const decimals = fraction.length - Number(exponent);
  return Number((BigInt(size) * BigInt(whole + fraction)) / 10n ** BigInt(decimals));
}
