import { describe, expect, test } from "vitest";
import { computeNumberLifetime } from "./number-lifetime.js";

describe("numberLifetime", () => {
  test.each([
    ["30 days", 30 * 86_400_000, 30, 86_370],
    ["a day and the margin", 86_405_000, 30, 86_370],
    ["a day", 86_400_000, 30, 86_365],
    ["a minute", 60_000, 27, 28],
    ["10.9 seconds", 10_900, 2, 3],
    ["6 seconds", 6000, 0, 1],
    ["5 seconds", 5000, 0, 0],
    ["nothing", 0, 0, 0],
    ["an unknown time, as the clock is virtual", undefined, 0, 0],
  ])("after a grace period of %s", (_, gracePeriodMs, maxAgeSeconds, showForSeconds) => {
    expect(computeNumberLifetime(gracePeriodMs)).toEqual({ maxAgeSeconds, showForSeconds });
  });
});
