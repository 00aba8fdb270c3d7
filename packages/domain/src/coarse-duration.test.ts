import { expect, test } from "vitest";
import { formatCoarseDuration } from "./coarse-duration.js";

test.each<[milliseconds: number, text: string]>([
  [30 * 86_400_000, "30 days"],
  [31 * 86_400_000 - 1, "30 days"],
  [86_400_000, "1 day"],
  [86_399_999, "23 hours"],
  [3_600_000, "1 hour"],
  [120_000, "2 minutes"],
  [1000, "1 second"],
  [999, "0 seconds"],
  [0, "0 seconds"],
])("%s ms are %s", (milliseconds, text) => {
  expect(formatCoarseDuration(milliseconds)).toBe(text);
});
