/**
 * How many of a size a share is: the floor of the exact product of the size and the share's shortest decimal text, which is
 * what a person wrote. 50 × 0.58 is 29, where the product of doubles is 28.999999999999996.
 *
 * @param size a whole number, not negative.
 * @param share 0 to 1, both included.
 */
export function exactShare(size: number, share: number): number {
  const [mantissa = "", exponent = "0"] = String(share).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const decimals = fraction.length - Number(exponent);
  return Number((BigInt(size) * BigInt(whole + fraction)) / 10n ** BigInt(decimals));
}
