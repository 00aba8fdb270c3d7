import { describe, expect, test } from "vitest";
import { cellText, fitText, textWidth } from "./table-cell.js";

describe("the text of a cell", () => {
  test.each([
    ["size", 10, "10"],
    ["is_dni", false, "false"],
    ["utilization", null, "-"],
    ["created_at", "2026-11-20T21:01:15.933Z", "2026-11-20 21:01:15Z"],
    ["created_at", "2026-11-20T21:01:15Z", "2026-11-20 21:01:15Z"],
    ["held_until", "2026-11-20T21:01:15.933Z", "2026-11-20 21:01:15Z"],
    ["sources", [{ visits: 7 }], '[{"visits":7}]'],
    ["description", "two\nlines\tand \u001b[31mred", "two\\nlines\\tand \\u001b[31mred"],
    ["description", "left\u202eright", "left\\u202eright"],
  ])("of %s %j is %j", (column, cell, text) => {
    expect(cellText(column, cell)).toBe(text);
  });
});

describe("fitting", () => {
  test.each([
    ["abcdef", 6, "abcdef"],
    ["abcdefg", 6, "abcde…"],
    ["日本語テスト", 7, "日本語…"],
    ["日本語テスト", 8, "日本語…"],
    ["👩‍👩‍👧 family", 5, "👩‍👩‍👧 f…"],
  ])("%j into %d is %j", (text, width, fitted) => {
    expect(fitText(text, width)).toBe(fitted);
    expect(textWidth(fitted)).toBeLessThanOrEqual(width);
  });
});
