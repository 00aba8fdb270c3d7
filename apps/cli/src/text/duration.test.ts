import { expect, test } from "vitest";
import { parseCallDuration, parseDuration } from "./duration.js";

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

test.each([
  ["0", 0],
  ["90", 90_000],
  ["90.5", 90_500],
  ["1:30", 90_000],
  ["75:00", 4_500_000],
  ["00:01:30", 90_000],
  ["1:00:00.25", 3_600_250],
  ["PT1M30S", 90_000],
  ["PT1H", 3_600_000],
  ["PT90.5S", 90_500],
  ["0h 2m", 120_000],
  ["1h 2m 3s", 3_723_000],
  ["1 min 5 sec", 65_000],
  ["65 seconds", 65_000],
  ["65s", 65_000],
  ["1h2m3s", 3_723_000],
  ["0.512", 512],
])("parses the call's duration %s as %d ms", (text, ms) => {
  expect(parseCallDuration(text)).toBe(ms);
});

test.each([
  "",
  "-5",
  "1:60",
  "1:5",
  "1:00:60",
  "1:99:00",
  "PT",
  "P1D",
  "h",
  "5 months",
  "2m 1h",
  "2mm",
  "00:01:30:00",
  "0.0015046",
])("rejects the call's duration %j", (text) => {
  expect(parseCallDuration(text)).toBeUndefined();
});
