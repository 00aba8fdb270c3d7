import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareCodePoints } from "./code-point-order.js";

describe("compareCodePoints", () => {
  test.each<[one: string, other: string]>([
    ["", "a"],
    ["a", "aa"],
    ["B", "a"],
    ["google", "google ads"],
    ["z", "é"],
    ["\ud7ff", "\ue000"],
    ["\ue000", "\uffff"],
    ["\uffff", "\u{1F4DE}"],
    ["a\uff5a", "a\u{10000}"],
    ["\u{1F4DE}", "\u{1F4DF}"],
    ["\u{1F4DE}", "\u{10FFFF}"],
  ])("sorts %j before %j", (one, other) => {
    expect(compareCodePoints(one, other)).toBeLessThan(0);
    expect(compareCodePoints(other, one)).toBeGreaterThan(0);
  });

  test("sorts like the bytes of UTF-8", () => {
    const texts = fc.string({
      unit: fc.oneof(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
        fc.constantFrom("a", "\uffff", "\u{1F4DE}"),
      ),
      maxLength: 4,
    });
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(Math.sign(compareCodePoints(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
      }),
      { numRuns: 2000 },
    );
  });
});
