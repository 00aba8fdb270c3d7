/**
 * Returns `size × share`, rounded down. Computes the product from the shortest decimal text of the share, because products of doubles are not
 * exact: 50 × 0.58 is 29, but 28.999999999999996 in doubles.
 *
 * @param size a non-negative integer.
 * @param share 0 to 1, inclusive.
 */
export function computeShareRoundedDown(size: number, share: number): number {
  const [mantissa = "", exponent = "0"] = String(share).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const decimals = fraction.length - Number(exponent);
  return Number((BigInt(size) * BigInt(whole + fraction)) / 10n ** BigInt(decimals));
}
