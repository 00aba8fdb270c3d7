import { describe, expect, test } from "vitest";
import { chooseTextWidthMeasure, truncateText } from "./text-width.js";

describe("truncateText", () => {
  test.each([
    ["abcdef", 6, "abcdef"],
    ["abcdefg", 6, "abcde…"],
    ["日本語テスト", 7, "日本語…"],
    ["日本語テスト", 8, "日本語…"],
    ["👩‍👩‍👧 family", 5, "👩‍👩‍👧 f…"],
  ])("truncates %j to width %d as %j", async (text, width, fitted) => {
    const measure = await chooseTextWidthMeasure([text]);
    expect(truncateText(text, width, measure)).toBe(fitted);
    expect(measure(fitted)).toBeLessThanOrEqual(width);
  });
});
