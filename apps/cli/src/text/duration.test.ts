import { expect, test } from "vitest";
import { parseDuration } from "./duration.js";

test.each([
  ["500ms", 500],
  ["10s", 10_000],
  ["1.5s", 1500],
  ["0.1ms", 1],
  ["2m", 120_000],
  ["12h", 43_200_000],
  ["30d", 2_592_000_000],
])("parses %s as %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "10", "s", "0s", "-1s", "1w", "1 s", "10S", "1e3s", "1234567890s", ".5s"])("rejects %j", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
