import { describe, expect, test } from "vitest";
import { parseInt32, parseNumber } from "./number-text.js";

describe("an integer", () => {
  test.each([
    ["0", 0],
    ["-7", -7],
    ["+7", 7],
    ["007", 7],
    ["2147483647", 2147483647],
    ["-2147483648", -2147483648],
  ])("parses %s as %d", (text, value) => {
    expect(parseInt32(text)).toBe(value);
  });

  test.each(["", " 1", "1.0", "1e3", "0x1", "2147483648", "-2147483649", "ten", "٣"])("rejects %j", (text) => {
    expect(parseInt32(text)).toBeUndefined();
  });
});

describe("a number", () => {
  test.each([
    ["0.5", 0.5],
    [".5", 0.5],
    ["1.", 1],
    ["-2.5e-3", -0.0025],
    ["+1E2", 100],
  ])("parses %s as %d", (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  test.each(["", ".", "NaN", "Infinity", "1e999", "0x1", "1,5", "50%"])("rejects %j", (text) => {
    expect(parseNumber(text)).toBeUndefined();
  });
});
