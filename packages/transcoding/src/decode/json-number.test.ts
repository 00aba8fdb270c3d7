import { expect, test } from "vitest";
import { isJsonNumber, parseJsonInteger } from "./json-number.js";

test.each([
  ["0", 0n],
  ["-0", 0n],
  ["0.000", 0n],
  ["0e999999999", 0n],
  ["1e2", 100n],
  ["100.0", 100n],
  ["-1.25e+2", -125n],
  ["1250e-1", 125n],
  ["9223372036854775807", 9223372036854775807n],
  ["18446744073709551615", 18446744073709551615n],
  ["1.5", undefined],
  ["1e-1", undefined],
  ["1e1000", undefined],
  // Written out, this number would exceed the maximum length of a string.
  ["1e999999999", undefined],
  ["1e-999999999", undefined],
  [`1${"0".repeat(100)}`, undefined],
])("reads %s as the integer %s", (text, integer) => {
  expect(isJsonNumber(text)).toBe(true);
  expect(parseJsonInteger(text)).toBe(integer);
});

test.each(["", "+1", "01", ".5", "1.", "1e", "0x1", "NaN", "Infinity", " 1", "1 "])(
  "rejects %j, which is not a JSON number",
  (text) => {
    expect(isJsonNumber(text)).toBe(false);
  },
);
