import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeShareRoundedDown } from "./exact-share.js";

describe("computeShareRoundedDown", () => {
  test.each<[size: number, share: number, count: number]>([
    [50, 0.58, 29], // the product of doubles is 28.999999999999996
    [100, 0.29, 29], // and here 28.999999999999996
    [100, 0.57, 57], // 56.99999999999999
    [1000, 0.001, 1],
    [10, 0.5, 5],
    [10, 0.55, 5],
    [10, 0.59, 5],
    [3, 0.3333333333333333, 0],
    [3, 1 / 3, 0], // its shortest text is 0.3333333333333333
    [10_000, 0.9999, 9999],
    [10_000, 0.99999, 9999],
    [10_000, 0.9999999999999999, 9999],
    [10_000, 1e-4, 1],
    [10_000, 1e-7, 0],
    [10_000_000, 1e-7, 1],
    [9_999_999, 1e-7, 0],
    [20_000_000, 1.5e-7, 3],
    [10_000, 5e-324, 0],
    [10_000, Number.EPSILON, 0],
    [10_000, 0, 0],
    [10_000, -0, 0],
    [0, 0.5, 0],
    [1, 1, 1],
    [10_000, 1, 10_000],
  ])("%s × %s is %s", (size, share, count) => {
    expect(computeShareRoundedDown(size, share)).toBe(count);
  });

  const sizes = fc.integer({ min: 0, max: 10_000 });
  const shares = fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
  );

  test("is the floor of the exact decimal product", () => {
    // Doubles preserve decimals of up to 15 digits.
    const decimals = fc.integer({ min: 1, max: 15 }).chain((places) => {
      return fc.record({
        places: fc.constant(places),
        digits: fc.bigInt({ min: 0n, max: 10n ** BigInt(places) - 1n }),
      });
    });
    fc.assert(
      fc.property(sizes, decimals, (size, { places, digits }) => {
        const share = Number(`0.${String(digits).padStart(places, "0")}`);
        expect(BigInt(computeShareRoundedDown(size, share))).toBe((BigInt(size) * digits) / 10n ** BigInt(places));
      }),
      { numRuns: 1000 },
    );
  });

  test("is between 0 and the size, close to the double product, and monotonic in the size", () => {
    fc.assert(
      fc.property(sizes, shares, (size, share) => {
        const count = computeShareRoundedDown(size, share);
        expect(Number.isInteger(count) && count >= 0 && count <= size).toBe(true);
        expect(Math.abs(size * share - count)).toBeLessThan(1 + 1e-9);
        expect(computeShareRoundedDown(size + 1, share)).toBeGreaterThanOrEqual(count);
      }),
      { numRuns: 1000 },
    );
  });
});
