import { expect, test } from "vitest";
import { parseDuration } from "./duration.js";

test.each([
  ["500ms", 500],
  ["10s", 10_000],
  ["1.5s", 1500],
  ["0.1ms", 1],
  ["2m", 120_000],
  ["35791m", 2_147_460_000],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "10", "s", "0s", "-1s", "1h", "1 s", "10S", "1e3s", "35792m", ".5s"])("%j is no duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
